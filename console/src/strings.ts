import english, { type Words } from './languages/en.ts';

/**
 * Every word that the console says, in the language that was chosen. Another language is written into the same
 * objects, so that a part of them that somebody has kept is never out of date.
 */
export const strings = writeInto({}, english) as Words;

export function speak(words: Words): void {
  writeInto(strings as object as Tree, words);
}

interface Tree {
  [name: string]: unknown;
}

function writeInto(target: Tree, source: object): Tree {
  for (const [name, value] of Object.entries(source)) {
    const isPart = typeof value === 'object' && value !== null && !Array.isArray(value);
    target[name] = isPart ? writeInto((target[name] ?? {}) as Tree, value as object) : value;
  }
  return target;
}
