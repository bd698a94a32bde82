import type { CreateBooking, UpdateListing } from '@hourkeep/client';

// What the console calls the fields of the API, in every language, and which of them its forms ask for by themselves.

const ENGLISH_GERMAN_SPANISH = {
  guest_name: ['Guest name', 'Name des Gastes', 'Nombre del cliente'],
  guest_email: ['Guest email', 'E-Mail des Gastes', 'Correo del cliente'],
  guest_phone: ['Guest phone', 'Telefon des Gastes', 'Teléfono del cliente'],
  guest_count: ['Guests', 'Personen', 'Personas'],
  reference: ['Reference', 'Referenz', 'Referencia'],
  notes: ['Notes', 'Notizen', 'Notas'],
  settlement_mode: ['Paid to', 'Bezahlt an', 'Se paga a'],
  date: ['Date', 'Datum', 'Fecha'],
  start_hour: ['Starts', 'Beginn', 'Inicio'],
  end_hour: ['Ends', 'Ende', 'Fin'],
  reason: ['Reason', 'Grund', 'Motivo'],
  url: ['URL', 'URL', 'URL'],
  events: ['Events', 'Ereignisse', 'Eventos'],
  webhooks: ['Webhooks', 'Webhooks', 'Webhooks'],
  is_active: ['Active', 'Aktiv', 'Activo'],
  title: ['Title', 'Titel', 'Título'],
  price: ['Price per hour', 'Preis pro Stunde', 'Precio por hora'],
  description: ['Description', 'Beschreibung', 'Descripción'],
  capacity: ['Capacity', 'Kapazität', 'Capacidad'],
  amenities: ['Amenities', 'Ausstattung', 'Servicios'],
  photo_urls: ['Photo', 'Foto', 'Foto'],
  operating_hours: ['Opening hours', 'Öffnungszeiten', 'Horario'],
  weekly_hours: ['Opening hours', 'Öffnungszeiten', 'Horario'],
  booking_rules: ['Booking rules', 'Buchungsregeln', 'Reglas de reserva'],
  'booking_rules.min_hours': ['Minimum length (hours)', 'Mindestdauer (Stunden)', 'Duración mínima (horas)'],
  'booking_rules.max_hours': ['Maximum length (hours)', 'Höchstdauer (Stunden)', 'Duración máxima (horas)'],
  'booking_rules.lead_hours': [
    'Minimum notice (hours)',
    'Mindestvorlauf (Stunden)',
    'Antelación mínima (horas)',
  ],
  'booking_rules.horizon_days': [
    'Book ahead at most (days)',
    'Höchstens im Voraus (Tage)',
    'Antelación máxima (días)',
  ],
  connect_calendar: ['Calendar address', 'Kalender-URL', 'URL del calendario'],
  month: ['Month', 'Monat', 'Mes'],
  from: ['From', 'Von', 'Desde'],
  to: ['To', 'Bis', 'Hasta'],
} as const;

type Labelled = keyof typeof ENGLISH_GERMAN_SPANISH;
type Labels = Record<Labelled, string>;

/** How a form asks for an optional field: a text of one line or several, a number, or a list of one entry per line. */
export type Input = 'line' | 'lines' | 'count' | 'list';

/** What a booking may say beside its guest and payment: asked for, shown, and said again where it is booked again. */
export const BOOKING_DETAILS = {
  guest_count: 'count',
  reference: 'line',
  notes: 'lines',
} as const satisfies { readonly [N in keyof CreateBooking & Labelled]?: Input };
export const detailNames = Object.keys(BOOKING_DETAILS) as (keyof typeof BOOKING_DETAILS)[];

/** What guests read about a space, beside its title, price and hours. */
export const SPACE_DETAILS = {
  description: 'lines',
  capacity: 'count',
  amenities: 'list',
  photo_urls: 'list',
} as const satisfies { readonly [N in keyof UpdateListing & Labelled]?: Input };

const labelsIn = (language: 0 | 1 | 2): Labels =>
  Object.fromEntries(
    Object.entries(ENGLISH_GERMAN_SPANISH).map(([name, labels]) => [name, labels[language]]),
  ) as Labels;

export const fieldLabels = { en: labelsIn(0), de: labelsIn(1), es: labelsIn(2) };
