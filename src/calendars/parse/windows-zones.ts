/**
 * The IANA zone that stands for each Windows zone (the default territory of the Unicode CLDR's mapping), and what
 * Windows shows for it. Outlook and Exchange name zones in either way. The words "Standard Time" at the end of
 * nearly every name, and the offset in front of what is shown, are left out here.
 *
 * Not the package windows-iana: its 5.1.0 puts "Mountain Standard Time (Mexico)" in Chihuahua and "Central Asia Standard
 * Time" in Almaty, where clocks have shown another hour since 2022 and 2024, and it lacks the texts that Windows shows.
 */
const ZONES: readonly (readonly [windows: string, iana: string, shown?: string])[] = [
  // The Americas
  ['Aleutian', 'America/Adak', 'Aleutian Islands'],
  ['Hawaiian', 'Pacific/Honolulu', 'Hawaii'],
  ['Alaskan', 'America/Anchorage', 'Alaska'],
  ['Pacific', 'America/Los_Angeles', 'Pacific Time (US & Canada)'],
  ['Pacific Standard Time (Mexico)', 'America/Tijuana', 'Baja California'],
  ['Mountain', 'America/Denver', 'Mountain Time (US & Canada)'],
  ['Mountain Standard Time (Mexico)', 'America/Mazatlan', 'La Paz, Mazatlan'],
  ['US Mountain', 'America/Phoenix', 'Arizona'],
  ['Yukon', 'America/Whitehorse', 'Yukon'],
  ['Central', 'America/Chicago', 'Central Time (US & Canada)'],
  [
    'Central Standard Time (Mexico)',
    'America/Mexico_City',
    'Guadalajara, Mexico City, Monterrey, Tegucigalpa',
  ],
  ['Central America', 'America/Guatemala', 'Central America'],
  ['Canada Central', 'America/Regina', 'Saskatchewan'],
  ['Easter Island', 'Pacific/Easter', 'Easter Island'],
  ['Eastern', 'America/New_York', 'Eastern Time (US & Canada)'],
  ['Eastern Standard Time (Mexico)', 'America/Cancun', 'Chetumal'],
  ['US Eastern', 'America/Indiana/Indianapolis', 'Indiana (East)'],
  ['Haiti', 'America/Port-au-Prince', 'Haiti'],
  ['Cuba', 'America/Havana', 'Havana'],
  ['Turks And Caicos', 'America/Grand_Turk', 'Turks and Caicos'],
  ['SA Pacific', 'America/Bogota', 'Bogota, Lima, Quito, Rio Branco'],
  ['Atlantic', 'America/Halifax', 'Atlantic Time (Canada)'],
  ['Venezuela', 'America/Caracas', 'Caracas'],
  ['Paraguay', 'America/Asuncion', 'Asuncion'],
  ['Central Brazilian', 'America/Cuiaba', 'Cuiaba'],
  ['SA Western', 'America/La_Paz', 'Georgetown, La Paz, Manaus, San Juan'],
  ['Pacific SA', 'America/Santiago', 'Santiago'],
  ['Newfoundland', 'America/St_Johns', 'Newfoundland'],
  ['Tocantins', 'America/Araguaina', 'Araguaina'],
  ['E. South America', 'America/Sao_Paulo', 'Brasilia'],
  ['SA Eastern', 'America/Cayenne', 'Cayenne, Fortaleza'],
  ['Argentina', 'America/Argentina/Buenos_Aires', 'City of Buenos Aires, Buenos Aires'],
  ['Greenland', 'America/Nuuk', 'Greenland'],
  ['Montevideo', 'America/Montevideo', 'Montevideo'],
  ['Magallanes', 'America/Punta_Arenas', 'Punta Arenas'],
  ['Saint Pierre', 'America/Miquelon', 'Saint Pierre and Miquelon'],
  ['Bahia', 'America/Bahia', 'Salvador'],
  // Europe and the Atlantic
  ['Azores', 'Atlantic/Azores', 'Azores'],
  ['Cape Verde', 'Atlantic/Cape_Verde', 'Cabo Verde Is., Cape Verde Is.'],
  ['Greenwich', 'Atlantic/Reykjavik', 'Monrovia, Reykjavik'],
  ['GMT', 'Europe/London', 'Dublin, Edinburgh, Lisbon, London'],
  ['W. Europe', 'Europe/Berlin', 'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna'],
  ['Central Europe', 'Europe/Budapest', 'Belgrade, Bratislava, Budapest, Ljubljana, Prague'],
  ['Central European', 'Europe/Warsaw', 'Sarajevo, Skopje, Warsaw, Zagreb'],
  ['Romance', 'Europe/Paris', 'Brussels, Copenhagen, Madrid, Paris'],
  ['GTB', 'Europe/Bucharest', 'Athens, Bucharest'],
  ['E. Europe', 'Europe/Chisinau', 'Chisinau'],
  ['FLE', 'Europe/Kyiv', 'Helsinki, Kyiv, Kiev, Riga, Sofia, Tallinn, Vilnius'],
  ['Kaliningrad', 'Europe/Kaliningrad', 'Kaliningrad'],
  ['Belarus', 'Europe/Minsk', 'Minsk'],
  ['Turkey', 'Europe/Istanbul', 'Istanbul'],
  ['Russian', 'Europe/Moscow', 'Moscow, St. Petersburg'],
  ['Volgograd', 'Europe/Volgograd', 'Volgograd'],
  ['Astrakhan', 'Europe/Astrakhan', 'Astrakhan, Ulyanovsk'],
  ['Saratov', 'Europe/Saratov', 'Saratov'],
  ['Russia Time Zone 3', 'Europe/Samara', 'Izhevsk, Samara'],
  // Africa
  ['Morocco', 'Africa/Casablanca', 'Casablanca'],
  ['Sao Tome', 'Africa/Sao_Tome', 'Sao Tome'],
  ['W. Central Africa', 'Africa/Lagos', 'West Central Africa'],
  ['Libya', 'Africa/Tripoli', 'Tripoli'],
  ['Namibia', 'Africa/Windhoek', 'Windhoek'],
  ['South Africa', 'Africa/Johannesburg', 'Harare, Pretoria'],
  ['Egypt', 'Africa/Cairo', 'Cairo'],
  ['Sudan', 'Africa/Khartoum', 'Khartoum'],
  ['South Sudan', 'Africa/Juba', 'Juba'],
  ['E. Africa', 'Africa/Nairobi', 'Nairobi'],
  ['Mauritius', 'Indian/Mauritius', 'Port Louis'],
  // Asia
  ['Israel', 'Asia/Jerusalem', 'Jerusalem'],
  ['West Bank', 'Asia/Hebron', 'Gaza, Hebron'],
  ['Jordan', 'Asia/Amman', 'Amman'],
  ['Middle East', 'Asia/Beirut', 'Beirut'],
  ['Syria', 'Asia/Damascus', 'Damascus'],
  ['Arab', 'Asia/Riyadh', 'Kuwait, Riyadh'],
  ['Arabic', 'Asia/Baghdad', 'Baghdad'],
  ['Arabian', 'Asia/Dubai', 'Abu Dhabi, Muscat'],
  ['Iran', 'Asia/Tehran', 'Tehran'],
  ['Georgian', 'Asia/Tbilisi', 'Tbilisi'],
  ['Azerbaijan', 'Asia/Baku', 'Baku'],
  ['Caucasus', 'Asia/Yerevan', 'Yerevan'],
  ['Afghanistan', 'Asia/Kabul', 'Kabul'],
  ['Pakistan', 'Asia/Karachi', 'Islamabad, Karachi'],
  ['West Asia', 'Asia/Tashkent', 'Ashgabat, Tashkent'],
  ['Qyzylorda', 'Asia/Qyzylorda', 'Qyzylorda'],
  ['Ekaterinburg', 'Asia/Yekaterinburg', 'Ekaterinburg'],
  ['India', 'Asia/Kolkata', 'Chennai, Kolkata, Mumbai, New Delhi'],
  ['Sri Lanka', 'Asia/Colombo', 'Sri Jayawardenepura'],
  ['Nepal', 'Asia/Kathmandu', 'Kathmandu'],
  ['Bangladesh', 'Asia/Dhaka', 'Dhaka'],
  ['Central Asia', 'Asia/Bishkek', 'Bishkek, Nur-Sultan, Astana'],
  ['Omsk', 'Asia/Omsk', 'Omsk'],
  ['Myanmar', 'Asia/Yangon', 'Yangon (Rangoon)'],
  ['SE Asia', 'Asia/Bangkok', 'Bangkok, Hanoi, Jakarta'],
  ['N. Central Asia', 'Asia/Novosibirsk', 'Novosibirsk'],
  ['Altai', 'Asia/Barnaul', 'Barnaul, Gorno-Altaysk'],
  ['Tomsk', 'Asia/Tomsk', 'Tomsk'],
  ['W. Mongolia', 'Asia/Hovd', 'Hovd'],
  ['North Asia', 'Asia/Krasnoyarsk', 'Krasnoyarsk'],
  ['China', 'Asia/Shanghai', 'Beijing, Chongqing, Hong Kong, Hong Kong SAR, Urumqi'],
  ['Singapore', 'Asia/Singapore', 'Kuala Lumpur, Singapore'],
  ['Taipei', 'Asia/Taipei', 'Taipei'],
  ['Ulaanbaatar', 'Asia/Ulaanbaatar', 'Ulaanbaatar'],
  ['North Asia East', 'Asia/Irkutsk', 'Irkutsk'],
  ['Transbaikal', 'Asia/Chita', 'Chita'],
  ['Yakutsk', 'Asia/Yakutsk', 'Yakutsk'],
  ['Korea', 'Asia/Seoul', 'Seoul'],
  ['North Korea', 'Asia/Pyongyang', 'Pyongyang'],
  ['Tokyo', 'Asia/Tokyo', 'Osaka, Sapporo, Tokyo'],
  ['Vladivostok', 'Asia/Vladivostok', 'Vladivostok'],
  ['Magadan', 'Asia/Magadan', 'Magadan'],
  ['Sakhalin', 'Asia/Sakhalin', 'Sakhalin'],
  ['Russia Time Zone 10', 'Asia/Srednekolymsk', 'Chokurdakh'],
  ['Russia Time Zone 11', 'Asia/Kamchatka', 'Anadyr, Petropavlovsk-Kamchatsky'],
  ['Kamchatka', 'Asia/Kamchatka'],
  // Australia and the Pacific
  ['W. Australia', 'Australia/Perth', 'Perth'],
  ['Aus Central W.', 'Australia/Eucla', 'Eucla'],
  ['AUS Central', 'Australia/Darwin', 'Darwin'],
  ['Cen. Australia', 'Australia/Adelaide', 'Adelaide'],
  ['E. Australia', 'Australia/Brisbane', 'Brisbane'],
  ['AUS Eastern', 'Australia/Sydney', 'Canberra, Melbourne, Sydney'],
  ['Tasmania', 'Australia/Hobart', 'Hobart'],
  ['Lord Howe', 'Australia/Lord_Howe', 'Lord Howe Island'],
  ['West Pacific', 'Pacific/Port_Moresby', 'Guam, Port Moresby'],
  ['Central Pacific', 'Pacific/Guadalcanal', 'Solomon Is., New Caledonia'],
  ['Bougainville', 'Pacific/Bougainville', 'Bougainville Island'],
  ['Norfolk', 'Pacific/Norfolk', 'Norfolk Island'],
  ['New Zealand', 'Pacific/Auckland', 'Auckland, Wellington'],
  ['Fiji', 'Pacific/Fiji', 'Fiji, Fiji Islands'],
  ['Chatham Islands', 'Pacific/Chatham', 'Chatham Islands'],
  ['Tonga', 'Pacific/Tongatapu', "Nuku'alofa"],
  ['Samoa', 'Pacific/Apia', 'Samoa'],
  ['Line Islands', 'Pacific/Kiritimati', 'Kiritimati Island'],
  ['Marquesas', 'Pacific/Marquesas', 'Marquesas Islands'],
  // Offsets without a place
  ['Dateline', 'Etc/GMT+12', 'International Date Line West'],
  ['UTC', 'UTC', 'Coordinated Universal Time'],
  ['tzone://Microsoft/Utc', 'UTC'],
  ['UTC-11', 'Etc/GMT+11', 'Coordinated Universal Time-11'],
  ['UTC-09', 'Etc/GMT+9', 'Coordinated Universal Time-09'],
  ['UTC-08', 'Etc/GMT+8', 'Coordinated Universal Time-08'],
  ['UTC-02', 'Etc/GMT+2', 'Coordinated Universal Time-02'],
  ['Mid-Atlantic', 'Etc/GMT+2', 'Mid-Atlantic'],
  ['UTC+12', 'Etc/GMT-12', 'Coordinated Universal Time+12'],
  ['UTC+13', 'Etc/GMT-13', 'Coordinated Universal Time+13'],
];

const byName = new Map(ZONES.map(([windows, iana]) => [shortened(windows), iana]));

/** By the whole text that Windows shows, and by each place in it: a text in another language has some of them too. */
const byDisplay = new Map(
  ZONES.toReversed().flatMap(([, iana, shown = '']) => textsOf(shown).map((text) => [text, iana] as const)),
);

/** Undefined when Windows has no such zone. */
export function windowsZone(name: string): string | undefined {
  return byName.get(shortened(name));
}

/** The zone that Outlook shows as `(UTC-05:00) Eastern Time (US & Canada)`, whose offset is only that of winter. */
export function displayedZone(name: string): string | undefined {
  return textsOf(name.replace(/^\((?:UTC|GMT)[^)]*\)/i, ''))
    .map((text) => byDisplay.get(text))
    .find((zone) => zone !== undefined);
}

/** The whole text, then what stands between its commas. */
function textsOf(shown: string): string[] {
  const whole = shown.toLowerCase().replaceAll(/&amp;|&/g, 'and');
  return [whole, ...whole.split(/[,;:/]/)].map((text) => text.trim()).filter((text) => text !== '');
}

export function allWindowsZones(): readonly string[] {
  return ZONES.map(([, iana]) => iana);
}

function shortened(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/ (?:standard|daylight) time$/, '');
}
