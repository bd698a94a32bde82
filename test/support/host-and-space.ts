import type { NewHost } from '../../src/hosts/hosts.ts';
import type { SeededSpace } from '../../src/spaces/fields.ts';

export const A_HOST: Omit<NewHost, 'email'> = {
  name: 'Test Host',
  timezone: 'America/New_York',
  currency: 'USD',
};

/** Always open. */
export const A_SPACE: SeededSpace = {
  title: 'Test Space',
  category_slug: 'studio',
  description: 'A room',
  address: '1 Test Street',
  area: 'Testville',
  price_per_hour: 50,
  capacity: 8,
  timezone: 'America/New_York',
  rating: 4.5,
  review_count: 3,
  amenities: ['wifi'],
  photo_urls: ['https://images.example.com/1.jpg'],
};
