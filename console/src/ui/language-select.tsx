import { chooseLanguage, language, LANGUAGES, ownName } from '../language.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { toast } from './toast.tsx';

export function LanguageSelect() {
  const spoken = useStore(language);
  const choose = (wanted: string): void => {
    chooseLanguage(wanted).catch(() => toast.set({ message: strings.languageFailed }));
  };
  return (
    <span className="language">
      <svg viewBox="0 0 24 24" className="nav-icon" aria-hidden="true">
        <path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c5 5.5 5 12.5 0 18M12 3c-5 5.5-5 12.5 0 18" />
      </svg>
      <select aria-label={strings.language} value={spoken} onChange={(event) => choose(event.target.value)}>
        {LANGUAGES.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {ownName(tag)}
          </option>
        ))}
      </select>
    </span>
  );
}
