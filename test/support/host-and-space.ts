import { SETTLEMENT_MODES, type NewHost } from '../../src/hosts/hosts.ts';
import type { NewSpace } from '../../src/spaces/spaces.ts';

export const A_HOST: Omit<NewHost, 'email'> = {
  name: 'Test Host',
  timezone: 'America/New_York',
  currency: 'USD',
  commissionMillionths: 100_000,
  settlementModes: SETTLEMENT_MODES,
  maxBookingValue: null,
};

/** Always open. */
export const A_SPACE: Omit<NewSpace, 'hostId'> = {
  environment: 'production',
  title: 'Test Space',
  categorySlug: 'studio',
  description: 'A room',
  address: '1 Test Street',
  area: 'Testville',
  pricePerHour: 5000,
  capacity: 8,
  timezone: 'America/New_York',
  openHour: 0,
  closeHour: 24,
  cancellationNoticeHours: 0,
  ratingHundredths: 450,
  reviewCount: 3,
  isActive: true,
  amenities: ['wifi'],
  photoUrls: ['https://images.example.com/1.jpg'],
};
