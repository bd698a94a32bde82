/** Counts until somebody takes what was counted. */
export class HostFigures {
  #hosts = new Map<string, Map<string, number>>();

  request(hostId: string, errorCode: string | undefined): void {
    this.#add(hostId, 'requests', 1);
    if (errorCode !== undefined) this.#add(hostId, errorCode, 1);
  }

  attempt(hostId: string, delivered: boolean): void {
    this.#add(hostId, delivered ? 'delivered' : 'failed', 1);
  }

  take(): Map<string, Map<string, number>> {
    const taken = this.#hosts;
    this.#hosts = new Map();
    return taken;
  }

  /** What could not be written. */
  putBack(hosts: ReadonlyMap<string, ReadonlyMap<string, number>>): void {
    for (const [hostId, figures] of hosts)
      for (const [figure, count] of figures) this.#add(hostId, figure, count);
  }

  #add(hostId: string, figure: string, count: number): void {
    const figures = this.#hosts.getOrInsertComputed(hostId, () => new Map());
    figures.set(figure, (figures.get(figure) ?? 0) + count);
  }
}
