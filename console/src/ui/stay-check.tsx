import { useId } from 'react';
import { strings } from '../strings.ts';

export function StayCheck({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId();
  const t = strings.signIn;
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{t.stay}</span>
      </label>
      <small id={id} className="hint">
        {t.stayHint}
      </small>
    </div>
  );
}
