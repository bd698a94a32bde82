import { useState } from 'react';
import { chooseLanguage, language, LANGUAGES, ownName } from '../language.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

export function LanguageSelect() {
  const spoken = useStore(language);
  const [failed, setFailed] = useState<string>();
  const choose = (wanted: string): void => {
    chooseLanguage(wanted).then(
      () => setFailed(undefined),
      () => setFailed(wanted),
    );
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
      {failed !== undefined && (
        <div role="alert" className="alert language-failed">
          <p>{strings.languageFailed}</p>
          <Button onClick={() => choose(failed)}>{strings.tryAgain}</Button>
        </div>
      )}
    </span>
  );
}
