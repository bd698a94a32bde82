/** A wait that can be cut short. */
export class Pause {
  #cutShort: (() => void) | undefined;

  async wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#cutShort = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#cutShort = undefined;
  }

  /** Ends the wait that is under way, if there is one. */
  cutShort(): void {
    this.#cutShort?.();
  }
}
