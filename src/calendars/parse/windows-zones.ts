import { findTimezone } from '../../time/zones.ts';

/**
 * The IANA zone that stands for each Windows zone (the default territory of the Unicode CLDR's mapping), where the name is
 * not that of a city or country that the IANA zones have too. The words "Standard Time" at the end of nearly every name are left out.
 *
 * Not the package windows-iana: its 5.1.0 puts "Mountain Standard Time (Mexico)" in Chihuahua and "Central Asia Standard
 * Time" in Almaty, where clocks have shown another hour since 2022 and 2024.
 */
export const WINDOWS_ZONES = new Map(
  Object.entries({
    // The Americas
    aleutian: 'America/Adak',
    hawaiian: 'Pacific/Honolulu',
    alaskan: 'America/Anchorage',
    alaska: 'America/Anchorage',
    pacific: 'America/Los_Angeles',
    'pacific standard time (mexico)': 'America/Tijuana',
    'baja california': 'America/Tijuana',
    mountain: 'America/Denver',
    'mountain standard time (mexico)': 'America/Mazatlan',
    'us mountain': 'America/Phoenix',
    yukon: 'America/Whitehorse',
    central: 'America/Chicago',
    'central standard time (mexico)': 'America/Mexico_City',
    'central america': 'America/Guatemala',
    'canada central': 'America/Regina',
    eastern: 'America/New_York',
    'eastern standard time (mexico)': 'America/Cancun',
    'us eastern': 'America/Indiana/Indianapolis',
    'indiana (east)': 'America/Indiana/Indianapolis',
    haiti: 'America/Port-au-Prince',
    'turks and caicos': 'America/Grand_Turk',
    'sa pacific': 'America/Bogota',
    atlantic: 'America/Halifax',
    venezuela: 'America/Caracas',
    paraguay: 'America/Asuncion',
    'central brazilian': 'America/Cuiaba',
    'sa western': 'America/La_Paz',
    'pacific sa': 'America/Santiago',
    newfoundland: 'America/St_Johns',
    tocantins: 'America/Araguaina',
    'e. south america': 'America/Sao_Paulo',
    'sa eastern': 'America/Cayenne',
    argentina: 'America/Argentina/Buenos_Aires',
    greenland: 'America/Nuuk',
    magallanes: 'America/Punta_Arenas',
    'saint pierre': 'America/Miquelon',
    'saint pierre and miquelon': 'America/Miquelon',
    // Europe and the Atlantic
    gmt: 'Europe/London',
    'w. europe': 'Europe/Berlin',
    'central europe': 'Europe/Budapest',
    'central european': 'Europe/Warsaw',
    romance: 'Europe/Paris',
    gtb: 'Europe/Bucharest',
    'e. europe': 'Europe/Chisinau',
    fle: 'Europe/Kyiv',
    belarus: 'Europe/Minsk',
    russian: 'Europe/Moscow',
    'russia time zone 3': 'Europe/Samara',
    // Africa
    morocco: 'Africa/Casablanca',
    'w. central africa': 'Africa/Lagos',
    namibia: 'Africa/Windhoek',
    'south africa': 'Africa/Johannesburg',
    sudan: 'Africa/Khartoum',
    'south sudan': 'Africa/Juba',
    'e. africa': 'Africa/Nairobi',
    // Asia
    'west bank': 'Asia/Hebron',
    jordan: 'Asia/Amman',
    'middle east': 'Asia/Beirut',
    syria: 'Asia/Damascus',
    arab: 'Asia/Riyadh',
    arabic: 'Asia/Baghdad',
    arabian: 'Asia/Dubai',
    georgian: 'Asia/Tbilisi',
    azerbaijan: 'Asia/Baku',
    caucasus: 'Asia/Yerevan',
    afghanistan: 'Asia/Kabul',
    pakistan: 'Asia/Karachi',
    'west asia': 'Asia/Tashkent',
    ekaterinburg: 'Asia/Yekaterinburg',
    india: 'Asia/Kolkata',
    'sri lanka': 'Asia/Colombo',
    nepal: 'Asia/Kathmandu',
    bangladesh: 'Asia/Dhaka',
    'central asia': 'Asia/Bishkek',
    myanmar: 'Asia/Yangon',
    'se asia': 'Asia/Bangkok',
    'n. central asia': 'Asia/Novosibirsk',
    altai: 'Asia/Barnaul',
    'w. mongolia': 'Asia/Hovd',
    'north asia': 'Asia/Krasnoyarsk',
    china: 'Asia/Shanghai',
    'north asia east': 'Asia/Irkutsk',
    transbaikal: 'Asia/Chita',
    korea: 'Asia/Seoul',
    'north korea': 'Asia/Pyongyang',
    'russia time zone 10': 'Asia/Srednekolymsk',
    'russia time zone 11': 'Asia/Kamchatka',
    // Australia and the Pacific
    'w. australia': 'Australia/Perth',
    'aus central w.': 'Australia/Eucla',
    'aus central': 'Australia/Darwin',
    'cen. australia': 'Australia/Adelaide',
    'e. australia': 'Australia/Brisbane',
    'aus eastern': 'Australia/Sydney',
    tasmania: 'Australia/Hobart',
    'west pacific': 'Pacific/Port_Moresby',
    'central pacific': 'Pacific/Guadalcanal',
    'new zealand': 'Pacific/Auckland',
    tonga: 'Pacific/Tongatapu',
    samoa: 'Pacific/Apia',
    line: 'Pacific/Kiritimati',
    // Offsets without a place
    dateline: 'Etc/GMT+12',
    'mid-atlantic': 'Etc/GMT+2',
  }),
);

/** Such as `Asia/Tokyo` by `tokyo`. */
const CITIES = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [
    zone.split('/').at(-1)!.replaceAll('_', ' ').toLowerCase(),
    zone,
  ]),
);

/** By the name of a Windows zone, or of a city. Undefined for other names. */
export function windowsZone(name: string): string | undefined {
  const short = name
    .trim()
    .toLowerCase()
    .replaceAll(/&amp;|&/g, 'and')
    .replace(/ (?:standard |daylight )?time(?: \((?:us and )?canada\))?$/, '')
    .replace(/ islands?$/, '');
  return WINDOWS_ZONES.get(short) ?? CITIES.get(short) ?? findTimezone(short);
}

/**
 * The zone that Outlook shows as `(UTC-05:00) Eastern Time (US & Canada)`: that of the first place in it whose clocks show that
 * offset in winter, or else that of any place. Without one that is known, the offset is believed. `GMT+0100` and `UTC-5` are such
 * texts too.
 */
export function displayedZone(text: string): string | undefined {
  const [prefix = '', sign = '+', hours = '0', minutes = '00'] =
    /^\(?(?:UTC|GMT)(?:([+-])(\d{1,2})(?:[:.]?(\d{2}))?)?(?:\)|$)/i.exec(text) ?? [];
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes}`;
  const zones = text
    .slice(prefix.length)
    .split(/[,;:/]/)
    .flatMap((place) => windowsZone(place) ?? []);
  const isBelieved = prefix !== '' && Number(hours) < 24 && Number(minutes) < 60;
  return (
    zones.find((zone) => offsetsOf(zone).includes(offset)) ?? zones[0] ?? (isBelieved ? offset : undefined)
  );
}

/** In January and July of this year. */
function offsetsOf(zone: string): string[] {
  const { year } = Temporal.Now.plainDateISO();
  return [1, 7].map((month) => new Temporal.PlainDate(year, month, 1).toZonedDateTime(zone).offset);
}
