/** What comes first: the end of the work, what `late` says when the time is over, or the signal's reason. */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  late: () => T | Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const other = new Promise<T>((resolve, reject) => {
    const over = async (): Promise<T> => late();
    // Timers count in 32 bits: a longer one would be over at once.
    if (ms < 2 ** 31) timer = setTimeout(() => over().then(resolve, reject), ms);
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work(), other]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await within<void>(
    ms,
    signal,
    () => undefined,
    () => new Promise(() => undefined),
  );
}
