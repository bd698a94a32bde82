import { session } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';

/** What a key that may not do everything may do, in words. */
export function KeyNote() {
  const { scopes } = useStore(session)!.account;
  const { words, may } = strings.keyNote;
  const all = Object.keys(words) as (keyof typeof words)[];
  const inWords = (has: boolean): string =>
    all
      .filter((scope) => scopes.includes(scope) === has)
      .map((scope) => words[scope])
      .join(', ');
  if (inWords(false) === '') return null;
  return <p className="note">{may(inWords(true), inWords(false))}</p>;
}
