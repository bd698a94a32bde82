import english, { type Words } from './languages/en.ts';
import { setLocale } from './locale.ts';
import { createStore } from './store.ts';
import { speak } from './strings.ts';

// One file per language in languages/. English is the source and always there; the others are loaded when chosen.

const CHOSEN = 'hourkeep.language';
const files = import.meta.glob<{ default: Words }>(['./languages/*.ts', '!./languages/en.ts']);

/** `de`, `en`, `es`: as their files are called. */
export const LANGUAGES = ['en', ...Object.keys(files).map((file) => file.slice(-5, -3))].sort();

export const language = createStore('en');

/** Before the first picture: the person's own choice, or else the first of the browser's languages that is there. */
export async function startLanguage(): Promise<void> {
  const known = (tag: string): string | undefined => LANGUAGES.find((each) => each === languageOf(tag));
  const wanted = [kept(), ...navigator.languages].map((tag) => tag && known(tag)).find(Boolean);
  // Whoever cannot load it reads English rather than nothing.
  await load(wanted ?? 'en').catch(async () => load('en'));
}

/** Throws when its file cannot be loaded; then the language stays as it was. */
export async function chooseLanguage(wanted: string): Promise<void> {
  await load(wanted);
  try {
    localStorage.setItem(CHOSEN, wanted);
  } catch {
    // A browser that keeps nothing asks its languages again.
  }
}

/** Deutsch, English, español: each as it calls itself. */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

async function load(wanted: string): Promise<void> {
  const file = files[`./languages/${wanted}.ts`];
  speak(file === undefined ? english : (await file()).default);
  // British dates for a British browser; a language that the browser does not have is written as most do.
  const locale = navigator.languages.find((tag) => languageOf(tag) === wanted) ?? wanted;
  setLocale(locale);
  document.documentElement.lang = wanted;
  document.documentElement.dir = directionOf(locale);
  language.set(wanted);
}

const languageOf = (tag: string): string => tag.split('-')[0]!.toLowerCase();

function directionOf(tag: string): 'ltr' | 'rtl' {
  const locale = new Intl.Locale(tag) as Intl.Locale & {
    getTextInfo?: () => { direction: 'ltr' | 'rtl' };
    textInfo?: { direction: 'ltr' | 'rtl' };
  };
  return (locale.getTextInfo?.() ?? locale.textInfo ?? { direction: 'ltr' }).direction;
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(CHOSEN) ?? undefined;
  } catch {
    return undefined;
  }
}
