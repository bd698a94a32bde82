import type { Actor } from '../../src/caller.ts';

/** Who acts where a test calls the service's functions instead of its API. */
export const operator: Actor = { type: 'operator', id: 'tester', requestId: null };
