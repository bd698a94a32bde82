/** Others need the processor too: what is waited for may be done by another process. */
const LOOK_MS = 5;

/** For effects that nobody waits for: asks again until it holds. The suite's own time limit ends a wait in vain. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
