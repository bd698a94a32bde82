export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="mark" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 7v18M24 7v18M8 16h16" />
      <circle cx="16" cy="16" r="4.4" />
    </svg>
  );
}
