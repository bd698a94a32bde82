import { userInfo } from 'node:os';

/** Why a file or a folder cannot be used, in words in place of the operating system's code. */
export function fileProblem(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return WORDS[code]?.() ?? message;
}

const WORDS: Record<string, () => string> = {
  ENOENT: () => 'there is no such file or folder',
  ENOTDIR: () => 'a part of the path is a file, not a folder',
  EISDIR: () => 'it is a folder, not a file',
  EEXIST: () => 'there is a file of this name',
  EACCES: () => `user ${thisUser()} has no permission`,
  EPERM: () => `user ${thisUser()} has no permission`,
  EROFS: () => 'the file system is read-only',
  ENOSPC: () => 'the disk is full',
};

/** `hourkeep (1000)`; a container may run as a user without a name. */
export function thisUser(): string {
  const id = String(process.getuid?.() ?? 'unknown');
  try {
    return `${userInfo().username} (${id})`;
  } catch {
    return id;
  }
}
