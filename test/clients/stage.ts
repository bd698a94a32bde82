/** What test/long/openapi-clients.ts hands to each client, and how a client hands back what it saw. */
export const { URL: url = '', KEY: key = '', SPACE: spaceId = '' } = process.env;

/** Only what must be given: a client that asks for more does not compile. */
export const booking = {
  space_id: spaceId,
  date: '2027-06-01',
  start_hour: 10,
  end_hour: 12,
  guest_email: 'ada@example.com',
  guest_name: 'Ada Miller',
};

export interface Seen {
  status: 'confirmed' | 'cancelled' | 'completed' | undefined;
  mode: 'host_settled' | 'platform_settled' | undefined;
  reason: 'booked' | 'external_block' | 'host_block' | 'free' | undefined;
  refused: string | undefined;
}

export function report(seen: Seen): void {
  process.stdout.write(JSON.stringify(seen));
}
