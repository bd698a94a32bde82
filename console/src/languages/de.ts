import { clock, count, many } from '../format.ts';
import type { Words } from './en.ts';
import { fieldLabels } from '../fields.ts';

const duration = (minutes: number): string =>
  minutes < 90 ? many(minutes, 'Minute', 'Minuten') : many(Math.round(minutes / 60), 'Stunde', 'Stunden');

const german: Words = {
  more: 'Mehr',
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  environment: 'Umgebung',
  environments: { Live: 'Live', Test: 'Test' },
  language: 'Sprache',
  languageFailed: 'Diese Sprache konnte nicht geladen werden. Sind Sie online?',
  signOut: 'Abmelden',
  close: 'Schließen',
  cancel: 'Abbrechen',
  undo: 'Rückgängig',
  notUndone: (why) => `Kann nicht rückgängig gemacht werden. ${why}`,
  dismiss: 'Ausblenden',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  tryAgain: 'Erneut versuchen',
  exportCsv: 'CSV exportieren',
  optional: 'optional',
  inactive: 'Inaktiv',
  requestId: 'Anfrage-ID',
  noSuchScreen: 'Seite nicht gefunden',
  chooseAbove: 'Wählen Sie eine der Seiten im Menü.',
  noSpaces: 'Noch keine Räume. Der Betreiber Ihrer Plattform legt sie an.',
  missingScope: (scope) =>
    `Diesem Schlüssel fehlt die Berechtigung ${scope}. Bitten Sie Ihren Betreiber um einen Schlüssel, der sie hat.`,
  pickDate: (label) => `Datum wählen: ${label}`,
  datePlaceholder: 'JJJJ-MM-TT',
  noDate: (example) => `Geben Sie ein Datum ein, zum Beispiel ${example} oder 2027-03-18.`,
  clock: {
    behind: (minutes) =>
      `Die Uhr dieses Geräts geht ${duration(minutes)} nach. Die Konsole richtet sich nach der Uhr des Dienstes.`,
    ahead: (minutes) =>
      `Die Uhr dieses Geräts geht ${duration(minutes)} vor. Die Konsole richtet sich nach der Uhr des Dienstes.`,
  },
  goingOn: (seconds) => `Neuer Versuch in ${seconds} s.`,
  limit: { reached: 'Dieser Schlüssel hat sein Anfragelimit pro Minute erreicht.' },
  away: {
    gone: 'Der Dienst antwortet gerade nicht.',
    start: 'Hourkeep ist nicht erreichbar. Prüfen Sie Ihre Verbindung.',
  },

  fields: fieldLabels.de,

  refusals: {
    problems: {
      'is required': (label) => `${label} fehlt.`,
      'must not be empty': (label) => `${label} fehlt.`,
      'must not be blank': (label) => `${label} fehlt.`,
      'must be an email address': (label) => `${label} muss eine E-Mail-Adresse sein.`,
      'must have at most # characters': (label, number) => `${label} darf höchstens ${number} Zeichen haben.`,
      'must be # or more': (label, number) => `${label} muss mindestens ${number} sein.`,
      'must be # or less': (label, number) => `${label} darf höchstens ${number} sein.`,
      'must be # or less, the capacity of the space': (label, number) =>
        `${label}: In diesen Raum passen höchstens ${number}.`,
      'must have at most # entries': (label, number) => `${label} darf höchstens ${number} Einträge haben.`,
      'must not name anything twice': (label) => `${label} darf keine Duplikate enthalten.`,
      'must be an https URL': (label) => `${label} muss mit https:// beginnen.`,
      'is in the past': (label) => `${label}: Dieser Tag ist vorbei.`,
      'must not have begun yet': () => 'Diese Stunden haben schon begonnen.',
      'to end_hour must lie within the operating hours': () =>
        'Diese Stunden liegen außerhalb der Öffnungszeiten.',
      'to end_hour has an hour that daylight saving skips on this date': () =>
        'An diesem Tag werden die Uhren vorgestellt: Eine dieser Stunden gibt es nicht.',
      'names a booking that is paid for: cancel it and make another one': () =>
        'Diese Buchung ist bezahlt und lässt sich nicht verlegen. Stornieren Sie sie und buchen Sie neu.',
      'names a space that takes no bookings now': () =>
        'Dieser Raum ist inaktiv: Er nimmt keine Buchungen an.',
      'must end after they begin': (label) => `${label}: „Schließt“ muss später sein als „Öffnet“.`,
      'must end after it begins': (label) => `${label}: „Schließt“ muss später sein als „Öffnet“.`,
      'must have a day that is open': (label) => `${label}: Mindestens ein Tag muss geöffnet sein.`,
      'must not have max_hours below min_hours, which is #': (_label, number) =>
        `Die Höchstdauer darf nicht unter der Mindestdauer von ${number} liegen.`,
      'must be later: this space is booked for at least # hours': (_label, number) =>
        `Eine Buchung dieses Raums muss mindestens ${many(Number(number), 'Stunde', 'Stunden')} dauern.`,
      'must be earlier: this space is booked for at most # hours': (_label, number) =>
        `Eine Buchung dieses Raums darf höchstens ${many(Number(number), 'Stunde', 'Stunden')} dauern.`,
      'must be later: this space is booked at least # hours in advance': (_label, number) =>
        `Dieser Raum muss mindestens ${many(Number(number), 'Stunde', 'Stunden')} im Voraus gebucht werden.`,
      'must be earlier: this space is booked at most # days in advance': (_label, number) =>
        `Dieser Raum kann höchstens ${many(Number(number), 'Tag', 'Tage')} im Voraus gebucht werden.`,
      'must be a URL such as https://images.example.com/#.jpg': (label) =>
        `${label} muss eine URL sein, die mit https:// beginnt.`,
      'must lead to a public address': (label) => `${label} muss über das Internet erreichbar sein.`,
      'must name a host': (label) => `${label} ist keine vollständige URL.`,
      'must not contain white space or control characters': (label) =>
        `${label} darf keine Leerzeichen enthalten.`,
      'is one too many: a space has at most #': (_label, number) =>
        `Ein Raum kann höchstens ${number} externe Kalender haben. Trennen Sie zuerst einen.`,
      'are limited to # per environment; revoke one first': (_label, number) =>
        `Es kann höchstens ${number} Schlüssel geben. Widerrufen Sie zuerst einen.`,
      'are limited to # per environment; delete one first': (_label, number) =>
        `Es kann höchstens ${number} Webhooks geben. Löschen Sie zuerst einen.`,
      'cannot be true: the operator has disabled this webhook, and only they can enable it again': () =>
        'Der Betreiber hat diesen Webhook deaktiviert. Nur er kann ihn wieder aktivieren.',
    },
    problem: (label) => `Bitte prüfen Sie: ${label}.`,
    hours: (hours) => `Nicht mehr verfügbar: ${hours.map(clock).join(', ')}.`,
    tooDear: (limit) => `Eine Buchung darf höchstens ${limit} kosten.`,
    codes: {
      INVALID_API_KEY: 'Unbekannter API-Schlüssel. Fügen Sie den vollständigen Schlüssel ein.',
      API_KEY_REVOKED:
        'Dieser Schlüssel wurde widerrufen oder ist abgelaufen. Bitten Sie Ihren Betreiber um einen neuen.',
      SELF_BOOKING_BLOCKED:
        'Die E-Mail des Gastes ist Ihre eigene: Gastgeber können nicht Gast im eigenen Raum sein.',
      NOT_FOUND: 'Das wurde gelöscht, oder der Link ist falsch.',
      BOOKING_INVALID_SETTLEMENT_MODE: 'Bezahlt an: Diese Wahl hat Ihr Konto nicht.',
      BOOKING_CANCELLATION_BLOCKED: 'Diese Buchung lässt sich jetzt nicht stornieren oder verlegen.',
      GUEST_BOOKING_VELOCITY:
        'Dieser Gast hat in kurzer Zeit zu viel gebucht. Versuchen Sie es später noch einmal.',
      RATE_LIMIT_EXCEEDED: 'Dieser Schlüssel hat sein Anfragelimit pro Minute erreicht.',
      INTERNAL_ERROR:
        'Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es noch einmal; bleibt es so, geben Sie Ihrem Betreiber die Anfrage-ID.',
      TIMEOUT:
        'Zeitüberschreitung der Anfrage. Prüfen Sie, ob die Änderung gespeichert wurde, bevor Sie es erneut versuchen.',
      CONNECTION_LOST:
        'Der Dienst ist nicht erreichbar. Prüfen Sie, ob die Änderung gespeichert wurde, bevor Sie es erneut versuchen.',
      UNEXPECTED_ANSWER: 'Unerwartete Antwort. Prüfen Sie Ihre Internetverbindung.',
    },
    notDone:
      'Der Dienst ist vorübergehend nicht verfügbar. Es wurde nichts geändert. Versuchen Sie es erneut.',
    perhapsDone:
      'Die Verbindung wurde unterbrochen. Prüfen Sie, ob die Änderung gespeichert wurde, bevor Sie es erneut versuchen.',
    other: 'Ein Fehler ist aufgetreten.',
  },
  part: {
    notLoaded:
      'Diese Seite konnte nicht geladen werden: Die Verbindung ist unterbrochen, oder der Dienst wurde gerade aktualisiert.',
    broken: 'Auf dieser Seite ist etwas schiefgegangen.',
  },
  once: {
    copyNow: 'Jetzt kopieren: Sie können es später nicht mehr anzeigen.',
    byHand: 'Es ist markiert: Kopieren Sie es mit Tastatur oder Menü.',
    notCopied: 'Das ist noch nicht kopiert, und es wird nicht wieder gezeigt.',
    saved: 'Ich habe es gespeichert',
    leaveTitle: 'Verlassen, ohne den Schlüssel zu speichern?',
    leave: 'Ohne ihn verlassen',
  },

  screens: {
    today: 'Heute',
    calendar: 'Kalender',
    bookings: 'Buchungen',
    money: 'Finanzen',
    spaces: 'Räume',
    webhooks: 'Webhooks',
    keys: 'Schlüssel',
  },

  signIn: {
    title: 'Ihre Räume, Stunde für Stunde',
    lead: 'Melden Sie sich mit einem API-Schlüssel Ihres Kontos an. Der Schlüssel selbst wird in diesem Browser nicht gespeichert.',
    apiKey: 'API-Schlüssel',
    keyForm: 'hk_live_… oder hk_test_…',
    stay: 'Auf diesem Gerät angemeldet bleiben',
    stayHint:
      'Für 30 Tage. Die Namen von Gästen werden auf diesem Gerät gespeichert, damit Sie sie offline lesen können. Nur auf einem eigenen Gerät ankreuzen.',
    signIn: 'Anmelden',
    advice:
      'Nehmen Sie einen Schlüssel nur für diese Konsole: Er teilt sich sein Limit an Anfragen mit allem, was ihn sonst benutzt, und lässt sich für sich allein widerrufen.',
    tooMany: 'Zu viele Anmeldeversuche.',
    ended: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  },

  live: {
    booked: (guest: string, when: string) => `Neue Buchung: ${guest}, ${when}.`,
    moved: (guest: string, when: string) => `${guest} wurde auf ${when} verlegt.`,
    cancelled: (guest: string, when: string) => `Storniert: ${guest}, ${when}.`,
    many: (changes: number, last: string) => `${count(changes)} Änderungen. Die letzte: ${last}`,
    notifyMe: 'Benachrichtigen',
    notified:
      'Solange die Konsole neben einem anderen Fenster offen ist, meldet eine Benachrichtigung jede Änderung.',
    notAllowed:
      'Ihr Browser blockiert Benachrichtigungen dieser Seite. Erlauben Sie sie in seinen Einstellungen.',
  },
  keyNote: {
    may: (can: string, cannot: string) => `Dieser Schlüssel darf: ${can}. Er darf nicht: ${cannot}.`,
    words: {
      'spaces:read': 'Räume ansehen',
      'availability:read': 'freie Stunden ansehen',
      'bookings:read': 'Buchungen ansehen',
      'settlement:read': 'Monatsabrechnungen ansehen',
      'earnings:read': 'Einnahmen ansehen',
      'webhooks:read': 'Webhooks ansehen',
      'bookings:write': 'buchen, verlegen und stornieren',
      'blocks:write': 'Stunden sperren',
      'spaces:write': 'Räume ändern',
      'webhooks:write': 'Webhooks verwalten',
    },
  },
  offline: {
    title: 'Offline',
    from: (time) => `Stand der Daten: ${time}.`,
    readOnly: 'Ohne Verbindung kann nichts geändert werden.',
    notKept: 'Offline nicht verfügbar. Wird geladen, sobald wieder eine Verbindung besteht.',
    someBookings: 'Offline sehen Sie die Buchungen, die Sie auf diesem Gerät zuletzt geöffnet haben.',
    noBooking: 'Keine der auf diesem Gerät gespeicherten Buchungen passt dazu.',
  },

  welcome: {
    title: 'Willkommen in Ihrer Konsole',
    lead: 'Sie sind eingeladen, Ihre Räume hier zu verwalten. Erstellen Sie Ihren eigenen Schlüssel: Er wird jetzt erstellt, und niemand außer Ihnen sieht ihn je.',
    makeKey: 'Meinen Schlüssel erstellen',
    once: 'Der Link gilt einmal. Mit dem Schlüssel melden Sie sich hier und in Ihren eigenen Programmen an.',
    yourKey: 'Ihr Schlüssel',
    keep: 'Bewahren Sie diesen Schlüssel dort auf, wo Sie Passwörter aufbewahren: Sie melden sich damit an, und er wird nie wieder gezeigt.',
    made: 'Ihr Schlüssel ist erstellt.',
    noToken:
      'Das Ende des Links fehlt. Öffnen Sie den Link, den Sie bekommen haben, noch einmal, und zwar ganz.',
    refusals: {
      INVITATION_USED:
        'Dieser Link wurde bereits verwendet: Sein Schlüssel ist schon erstellt. Wenn Sie das nicht waren, sagen Sie es Ihrem Betreiber; er kann Ihnen einen neuen Link schicken.',
      INVITATION_EXPIRED: 'Dieser Link ist abgelaufen. Bitten Sie Ihren Betreiber um einen neuen.',
      INVITATION_WITHDRAWN: 'Ihr Betreiber hat diesen Link zurückgezogen. Bitten Sie ihn um einen neuen.',
      NOT_FOUND:
        'Unbekannter Link. Öffnen Sie den ganzen Link, den Sie bekommen haben, oder bitten Sie um einen neuen.',
      RATE_LIMIT_EXCEEDED:
        'Das wurde zu oft versucht. Warten Sie eine Minute und drücken Sie dann noch einmal.',
    },
  },

  today: {
    today: {
      guests: 'Gäste heute',
      nobody: 'Für heute hat niemand gebucht.',
    },
    tomorrow: {
      guests: 'Gäste morgen',
      nobody: 'Für morgen hat niemand gebucht.',
    },
    cut: (bookings) => `Hier stehen nur die nächsten ${count(bookings)} Buchungen. Alle:`,
    bySpace: 'Räume',
    nobodyAhead: (days) => `Keine Buchungen in den nächsten ${days} Tagen`,
    hereUntil: (time) => `Hier bis ${time}`,
    hoursLeft: (hours) =>
      hours === 0 ? 'Heute keine Stunde mehr frei' : `Heute noch ${many(hours, 'Stunde', 'Stunden')} frei`,
    closedToday: 'Heute geschlossen',
    openDay: 'Tag öffnen',
    netThisMonth: 'Netto diesen Monat',
    upcomingNet: (amount, bookings) => `${amount} kommen noch aus ${many(bookings, 'Buchung', 'Buchungen')}`,
    webhooks: 'Webhooks',
    allWell: 'Alles gut',
    inTrouble: (number) => `${number} mit Problemen`,
    none: 'Keine',
    webhookCount: (number) => (number === 0 ? 'Noch keine Webhooks' : `${number} eingerichtet`),
    statuses: { over: 'Vorbei', here: 'Jetzt hier', ahead: 'Erwartet' },
  },

  calendar: {
    grid: 'Kalender',
    space: 'Raum',
    allSpaces: 'Alle Räume',
    view: 'Ansicht',
    views: { day: 'Tag', week: 'Woche', month: 'Monat' },
    goToDate: 'Gehe zu Datum',
    previous: 'Zurück',
    next: 'Weiter',
    today: 'Heute',
    thisWeek: 'Diese Woche',
    zone: (zones) =>
      zones.length === 1
        ? `Zeiten in der Zeitzone des Raums: ${zones[0]}`
        : 'Zeiten in der Zeitzone des jeweiligen Raums.',
    monthDay: (date, free, bookings) =>
      `${date}, ${many(free, 'Stunde frei', 'Stunden frei')}, ${many(bookings, 'Buchung', 'Buchungen')}`,
    loadingDay: (date) => `${date}, wird geladen`,
    free: (hours) => `${hours} frei`,
    bookings: (bookings) => many(bookings, 'Buchung', 'Buchungen'),
    monthKeys: 'Drücken Sie auf einen Tag, oder nehmen Sie Pfeiltasten und Eingabetaste, um ihn zu öffnen.',
    states: {
      available: 'frei',
      booked: 'gebucht',
      blocked: 'gesperrt',
      'external calendar': 'externer Kalender',
      closed: 'geschlossen',
      loading: 'wird geladen',
    },
    cell: {
      booked: 'Gebucht',
      blocked: 'Gesperrt',
      external: 'Externer Kalender',
      skipped: 'Zeitumstellung',
      repeated: 'Doppelt',
    },
    notes: {
      past: 'schon begonnen',
      now: 'schon begonnen, frei für Walk-ins',
      skipped: 'Uhren werden vorgestellt: Diese Stunde gibt es an diesem Tag nicht',
      repeated: 'Uhren werden zurückgestellt: Diese Stunde kommt an diesem Tag zweimal',
    },
    legend: [
      ['available', 'Frei'],
      ['booked', 'Gebucht'],
      ['blocked', 'Von Ihnen gesperrt'],
      ['external calendar', 'Externer Kalender'],
      ['closed', 'Geschlossen oder vorbei'],
    ],
    keys: 'Ziehen Sie über freie Stunden, oder nehmen Sie die Pfeiltasten, Umschalt und Pfeile, und die Eingabetaste.',
    selected: (range) => `${clock(range.start_hour)} bis ${clock(range.end_hour)} ausgewählt`,
    tapped: (hour) => `Ab ${clock(hour)}: Ende antippen`,
    thisHour: 'Nur diese Stunde',
  },

  hours: {
    title: 'Stunden',
    tabs: 'Was mit diesen Stunden geschehen soll',
    book: 'Buchen',
    block: 'Sperren',
    starts: 'Beginn',
    ends: 'Ende',
    chosen: 'Gewählte Stunden',
    taken: 'vergeben',
    free: 'frei',
    toHost: 'Sie selbst',
    toPlatform: 'Die Plattform',
    bookHours: 'Stunden buchen',
    reasonHint: 'Nur für Sie: Gäste und Kalender sehen ihn nicht.',
    blockHours: 'Stunden sperren',
    begun: 'Diese Stunden haben begonnen: Sie lassen sich sperren, aber nicht mehr buchen.',
    untilDate: 'Bis zum Datum',
    untilHint: 'Dieselben Stunden an jedem Tag bis dahin.',
    untilBefore: 'Das ist vor dem ersten Tag.',
    untilTooFar: 'Höchstens ein Jahr auf einmal.',
    weekdays: 'An diesen Tagen',
    noDay: 'Keiner der Tage bis dahin ist gewählt. Wählen Sie mindestens einen.',
    onDays: (days) => many(days, 'Tag', 'Tage'),
    takenAt: (hours) => `nicht frei: ${hours}`,
    blockedAt: (hours) => `gesperrt: ${hours}`,
    takenDays: (done, taken) =>
      `${done === 0 ? 'Nichts gesperrt' : `An ${many(done, 'Tag', 'Tagen')} gesperrt`}. An ${many(taken, 'Tag', 'Tagen')} waren nicht alle Stunden frei:`,
    done: 'Fertig',
    blockedDays: (range, days) => `${range} an ${many(days, 'Tag', 'Tagen')} gesperrt.`,
    unblockedDays: (range, days) => `Sperre von ${range} an ${many(days, 'Tag', 'Tagen')} aufgehoben.`,
    unblockHours: 'Sperre aufheben',
    youBlocked: 'Sie haben diese Stunden gesperrt.',
    external: 'Ein externer Kalender belegt diese Stunde. Sie ist hier wieder frei, wenn sie dort frei ist.',
    booked: (guest, range) => `${range} gebucht für ${guest}.`,
    blocked: (range) => `${range} gesperrt.`,
    unblocked: (range) => `Sperre von ${range} aufgehoben.`,
    optionalEmail: 'E-Mail des Gastes (optional)',
    bookNow: 'Jetzt buchen',
    now: (hour) => `Jetzt, ${hour}`,
    closedNow: 'Dieser Raum ist gerade geschlossen.',
  },

  spaceRules: {
    daily: 'täglich',
    allDay: 'ganztägig',
    atLeast: (hours) => `mindestens ${many(hours, 'Stunde', 'Stunden')}`,
    atMost: (hours) => `höchstens ${many(hours, 'Stunde', 'Stunden')}`,
    notice: (hours) => `${many(hours, 'Stunde', 'Stunden')} im Voraus`,
    ahead: (days) => `bis zu ${many(days, 'Tag', 'Tage')} im Voraus`,
  },

  booking: {
    title: 'Buchung',
    when: 'Wann',
    space: 'Raum',
    status: 'Status',
    email: 'E-Mail',
    phone: 'Telefon',
    price: 'Preis',
    payment: 'Zahlung',
    payBy: 'Zahlbar bis',
    orCancelled: (when) => `${when}, sonst wird storniert`,
    walkIn: 'Walk-in',
    made: 'Gebucht am',
    cancelledAt: 'Storniert am',
    reason: 'Grund',
    reasonRequired: 'Grund (erforderlich)',
    reasonHint: 'Wird bei der Buchung vermerkt. Die Stunden sind sofort wieder frei.',
    cancelBooking: 'Buchung stornieren',
    cancelled: (guest, when) => `Die Buchung von ${guest}, ${when}, ist storniert.`,
    allOfGuest: 'Alle Buchungen dieses Gastes',
    statuses: { confirmed: 'Bestätigt', completed: 'Abgeschlossen', cancelled: 'Storniert' },
    sources: { api: 'über die API', platform: 'auf der Plattform' },
    payments: (mode, payment, booking) => {
      if (payment === 'refunded') return 'An die Plattform bezahlt, erstattet';
      const cancelled = booking === 'cancelled';
      if (payment === 'confirmed')
        return cancelled ? 'An die Plattform bezahlt, zu erstatten' : 'An die Plattform bezahlt';
      if (cancelled) return 'Storniert, nichts zu bezahlen';
      return mode === 'host_settled' ? 'An Sie bezahlt' : 'An die Plattform, noch nicht bezahlt';
    },
  },

  move: {
    move: 'Verlegen',
    title: 'Verlegen auf',
    newDate: 'Neues Datum',
    from: 'Von',
    to: 'Bis',
    newSpace: 'Neuer Raum',
    moveBooking: 'Buchung verlegen',
    keep: 'So lassen',
    moved: (guest, when) => `Die Buchung von ${guest} ist auf ${when} verlegt.`,
    samePrice: (price) => `${price}, wie bisher`,
    newPrice: (was, is) => `${is} statt ${was}`,
    begun: 'Diese Buchung hat begonnen. Sie lässt sich nicht mehr verlegen oder stornieren.',
    paid: 'Diese Buchung ist bezahlt und lässt sich nicht verlegen. Stornieren Sie sie und buchen Sie neu.',
  },

  bookings: {
    status: 'Status',
    allStatuses: 'Alle',
    space: 'Raum',
    from: 'Von',
    to: 'Bis',
    when: 'Wann',
    guest: 'Gast',
    price: 'Preis',
    payment: 'Zahlung',
    findGuest: 'Gast suchen',
    findHint: 'Name oder E-Mail, mindestens zwei Zeichen.',
    findSince: (date) => `Sucht ab ${date}, ein Jahr zurück. Ändern Sie „Von“, um anderswo zu suchen.`,
    none: 'Keine Buchung passt. Ändern Sie die Daten oder den Status, um andere zu sehen.',
    previousPage: 'Vorige Seite',
    nextPage: 'Nächste Seite',
    page: (page, total) => `Seite ${page}, insgesamt ${total}`,
    moreThan: (total) => `mehr als ${total}`,
    exported: (number) => `${number} bisher gelesen`,
    newestFirst: 'Alle Buchungen dieses Gastes, neueste zuerst.',
  },

  money: {
    earningsLead:
      'Diese vier zählen alle Ihre Buchungen, über die API und auf der Plattform: die vergangenen als verdient, die anderen als bevorstehend.',
    parts: {
      this_month: 'Dieser Monat',
      last_month: 'Voriger Monat',
      upcoming: 'Bevorstehend',
      lifetime: 'Insgesamt',
    },
    netOf: (gross, commission) => `${gross} abzüglich ${commission} Provision`,
    countOf: (bookings, hours) =>
      `${many(bookings, 'Buchung', 'Buchungen')}, ${many(hours, 'Stunde', 'Stunden')}`,
    countCancelled: (bookings, cancelled) =>
      cancelled === 0 ? `${bookings}` : `${bookings}, dazu ${cancelled} storniert`,
    lastTwelve: 'Die letzten zwölf Monate',
    byMonth: 'Einnahmen nach Monat',
    chart: (month, amount) =>
      `Was Sie nach Abzug der Provision verdient haben. Bester Monat: ${month}, ${amount}.`,
    emptyChart: 'In diesen zwölf Monaten noch nichts verdient.',
    bySpace: 'Insgesamt nach Raum',
    report: 'Monatsabrechnung',
    reportLead:
      'Das zählt nur Buchungen über die API, in dem Monat, in dem sie stattfinden, auch die noch kommenden: Es ist das, was Sie und die Plattform miteinander abrechnen.',
    notAMonth: (example) => `Geben Sie einen Monat ein, zum Beispiel 2027-03 oder ${example}.`,
    totals: 'Summen',
    month: 'Monat',
    previousMonth: 'Voriger Monat',
    nextMonth: 'Nächster Monat',
    space: 'Raum',
    date: 'Datum',
    paidTo: 'Zahlung',
    bookings: 'Buchungen',
    hours: 'Stunden',
    gross: 'Brutto',
    commission: 'Provision',
    net: 'Netto',
    hostCollected: 'Von Ihnen eingenommen',
    platformCollected: 'Von der Plattform eingenommen',
    states: { open: 'Noch offen: Diese Zahlen können sich ändern.', closed: 'Abgeschlossen' },
    lines: 'Buchungen der Abrechnung',
    noLines: (month) => `Im ${month} gibt es keine API-Buchungen.`,
    owesYou: (amount, month) => `Die Plattform schuldet Ihnen Ende ${month} ${amount}.`,
    youOwe: (amount, month) => `Sie schulden der Plattform Ende ${month} ${amount}.`,
    nobodyOwes: (month) => `Ende ${month} ist der Saldo ausgeglichen.`,
    refunds: (bookings, amount) =>
      bookings === 1
        ? `Ein Gast hat nach der Zahlung storniert: ${amount} sind zu erstatten.`
        : `${many(bookings, 'Gast', 'Gäste')} haben nach der Zahlung storniert: ${amount} sind zu erstatten.`,
    statement: {
      title: (month) => `Abrechnung für ${month}`,
      closedOn: (date) =>
        `Abgeschlossen am ${date}. Spätere Änderungen sind Korrekturen in einem späteren Monat.`,
      print: 'Drucken',
      balance: 'Saldo',
      opening: 'Anfangssaldo',
      earned: 'Verdient, an die Plattform gezahlt (nach Provision)',
      commission: 'Provision auf Buchungen, die an Sie gezahlt wurden',
      adjustments: 'Korrekturen',
      payouts: 'Auszahlungen',
      closing: 'Endsaldo',
      refunded: 'An Gäste erstattet',
      refunds: (bookings, amount) =>
        bookings === 1
          ? `Ein Gast hat nach der Zahlung storniert: Beim Abschluss waren ${amount} noch zu erstatten.`
          : `${many(bookings, 'Gast', 'Gäste')} haben nach der Zahlung storniert: Beim Abschluss waren ${amount} noch zu erstatten.`,
      recorded: 'Erfasst',
      what: 'Vorgang',
      bookingOf: 'Buchung aus',
      bookingId: 'Buchung',
      reference: 'Verwendungszweck',
      amount: 'Betrag',
      bySpace: 'Nach Raum',
      toYou: 'Von der Plattform an Sie',
      byYou: 'Von Ihnen an die Plattform',
      kinds: {
        payment_confirmed: 'Spätere Zahlung',
        payment_voided: 'Zahlung zurückgenommen',
        refunded: 'Erstattung an den Gast',
        late_booking: 'Nachträgliche Buchung',
      },
    },
  },

  spaces: {
    lead: 'Ändern Sie Titel oder Preis an Ort und Stelle und drücken Sie die Eingabetaste. Ein inaktiver Raum nimmt keine Buchungen an.',
    title: 'Titel',
    price: 'Preis pro Stunde',
    active: 'Aktiv',
    save: 'Speichern',
    saved: (title) => `${title} gespeichert.`,
    savedPrice: (title, amount) => `${title} gespeichert: ${amount} pro Stunde.`,
    isActive: (title) => `${title} ist aktiv: Gäste können buchen.`,
    isInactive: (title) => `${title} ist inaktiv: Der Raum nimmt keine Buchungen an.`,
    notAPrice: (example, currency) =>
      `Preis pro Stunde: Geben Sie einen Betrag in ${currency} ein, zum Beispiel ${example}.`,
    people: (number) => many(number, 'Person', 'Personen'),
    openAllDay: 'Ganztägig geöffnet',
    deactivate: 'Deaktivieren',
    deactivateWhat:
      'Niemand kann den Raum buchen, bis Sie ihn wieder aktivieren. Buchungen, die es schon gibt, bleiben.',
    ahead: (bookings) =>
      bookings === 0
        ? 'Keine Buchung steht bevor.'
        : bookings === 1
          ? '1 Buchung steht bevor und bleibt:'
          : `${many(bookings, '', 'Buchungen')} stehen bevor und bleiben:`,
    more: (number) => `und ${many(number, 'weitere', 'weitere')}`,
    details: 'Details',
    description: 'Beschreibung',
    everyDay: 'Jeden Tag gleich',
    byWeekday: 'Nach Wochentag',
    opens: 'Öffnet',
    closes: 'Schließt',
    closed: 'Geschlossen',
    hoursHint: 'Buchungen, die es schon gibt, bleiben, auch wo die neuen Zeiten geschlossen sind.',
    rulesHint:
      'Ein leeres Feld heißt: keine solche Regel. Regeln gelten für neue und für verlegte Buchungen.',
    capacity: 'Kapazität',
    capacityHint: 'Maximale Personenzahl. Lassen Sie es leer, wenn Sie es nicht wissen.',
    notANumber: (label) => `${label}: Geben Sie eine ganze Zahl ein.`,
    amenities: 'Ausstattung',
    onePerLine: 'Eine Angabe pro Zeile.',
    photos: 'Fotos',
    photosHint: 'Adressen von Bildern, eine pro Zeile.',
    feed: 'Kalender-Feed',
    feedWhat: 'Zeigt die Buchungen und Sperren dieses Raums im Kalender Ihres Telefons oder Computers.',
    feedEnds:
      'Sie bekommen eine neue Adresse. Die alte endet sofort: Kalender, die sie verwenden, werden nicht mehr aktualisiert.',
    makeFeed: 'Neue URL erstellen',
    feedAddress: 'Feed-URL',
    feedHow: [
      'Google Kalender: Wählen Sie am Computer das + neben „Weitere Kalender“, dann „Per URL“, und fügen Sie die Adresse ein.',
      'Apple Kalender: Wählen Sie „Ablage“, „Neues Kalenderabonnement“ (auf dem iPhone: „Kalender“, „Hinzufügen“, „Kalenderabo hinzufügen“), und fügen Sie die Adresse ein.',
      'Outlook: Wählen Sie „Kalender hinzufügen“, dann „Aus dem Internet abonnieren“, und fügen Sie die Adresse ein.',
    ],
    calendars: 'Externe Kalender',
    calendarsLead:
      'Termine eines externen Kalenders sperren hier ihre Stunden, um Doppelbuchungen zu vermeiden.',
    noCalendars: 'Noch keine externen Kalender.',
    calendarAddress: 'Kalender-URL',
    calendarHint:
      'Die Adresse des Kalenders im iCal-Format, die auf .ics endet: bei Google unter „Einstellungen und Freigabe“, bei Apple unter „Öffentlicher Kalender“, bei Outlook unter „Kalender veröffentlichen“.',
    connect: 'Verbinden',
    connected: 'Verbunden. Wird jetzt importiert.',
    disconnect: 'Trennen',
    disconnected: (address) => `${address} ist getrennt: Seine Stunden sind frei.`,
    connectedCount: (number) => `${count(number)} verbunden`,
    failing: (number) => `${count(number)} fehlgeschlagen`,
    calendarStates: {
      waiting: () => 'Verbunden. Erster Import läuft.',
      ok: (when) => `Synchronisiert: ${when}. Seine Stunden sind hier gesperrt.`,
      warning: (when) => `Synchronisiert: ${when}. Einige Einträge konnten nicht gelesen werden.`,
      failing: (when) =>
        when === undefined
          ? 'Synchronisierung fehlgeschlagen. Noch nie synchronisiert.'
          : `Synchronisierung fehlgeschlagen. Der Stand von ${when} bleibt gesperrt.`,
    },
  },

  webhooks: {
    add: 'Webhook hinzufügen',
    lead: 'Senden Sie Ereignisse an Ihre eigenen Systeme, sobald sie eintreten.',
    none: 'Noch keine Webhooks. Fügen Sie einen hinzu, um Buchungen und Änderungen an Ihre URL zu erhalten.',
    url: 'URL',
    address: 'URL',
    description: 'Beschreibung',
    events: 'Ereignisse',
    state: 'Status',
    actions: 'Aktionen',
    deliveries: 'Letzte Zustellungen',
    noDeliveries: 'Noch nichts gesendet',
    lastDeliveries: (url) => `Letzte Zustellungen an ${url}`,
    active: 'Aktiv',
    paused: 'Pausiert',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    isPaused: 'Pausiert: Bis Sie fortsetzen, wird nichts gesendet.',
    isResumed: 'Fortgesetzt: Ausstehende Ereignisse werden jetzt gesendet.',
    edit: 'Bearbeiten',
    editWebhook: 'Webhook bearbeiten',
    newAddress: 'Ausstehende Ereignisse werden sofort an die neue URL gesendet.',
    save: 'Speichern',
    saved: 'Der Webhook ist gespeichert.',
    savedAddress:
      'Der Webhook ist gespeichert: Ausstehende Ereignisse werden jetzt an die neue URL gesendet.',
    rotate: 'Secret rotieren',
    rotateNow: 'Neues Secret erstellen',
    rotateWhat: 'Ein neues Secret wird erstellt und einmal angezeigt. Das alte bleibt 24 Stunden gültig.',
    delete: 'Löschen',
    deleteWebhook: 'Webhook löschen',
    deleteWhat: (url) => `An ${url} wird nichts mehr gesendet. Das lässt sich nicht rückgängig machen.`,
    deleted: 'Der Webhook ist gelöscht.',
    secret: 'Secret',
    signingSecret: 'Signatur-Secret',
    verifyWith: 'Prüfen Sie jede Zustellung, bevor Sie ihr trauen:',
    snippetLabel: 'Wie eine Zustellung geprüft wird',
    disabled: (reason) =>
      ({
        receiver_gone: 'Deaktiviert: Der Endpunkt hat 410 (Gone) zurückgegeben.',
        five_days_of_failures: 'Deaktiviert: Fünf Tage lang ist jede Zustellung fehlgeschlagen.',
        operator: 'Vom Betreiber deaktiviert.',
      })[reason] ?? `Deaktiviert: ${reason}`,
    inWords: (
      { status, attempts, response_status, error, last_attempt_at, next_attempt_at },
      moment,
      isActive,
    ) => {
      if (status === 'delivered') {
        const when = last_attempt_at === null ? '' : ` (${moment(last_attempt_at)})`;
        return `zugestellt${when}${response_status === null ? '' : `, Antwort ${response_status}`}`;
      }
      const waits = 'in der Warteschlange, bis der Webhook wieder aktiv ist';
      if (attempts === 0) return isActive ? 'in der Warteschlange' : waits;
      const answer =
        response_status === null ? (ERRORS[error ?? ''] ?? 'keine Antwort') : `Antwort ${response_status}`;
      if (status === 'failed')
        return `fehlgeschlagen, ${answer}, keine weiteren Versuche nach ${many(attempts, 'Versuch', 'Versuchen')}`;
      if (next_attempt_at === null) return `fehlgeschlagen, ${answer}, wird erneut versucht`;
      return `fehlgeschlagen, ${answer}, ${isActive ? `nächster Versuch: ${moment(next_attempt_at)}` : waits}`;
    },
  },

  keys: {
    lead: 'Schlüssel für Personen und Programme, die mit Ihrem Konto arbeiten, etwa für Ihre Buchhaltung. Ein Schlüssel kann jederzeit widerrufen werden.',
    make: 'Schlüssel erstellen',
    makeKey: 'Erstellen',
    name: 'Name',
    nameHint: 'Wer oder was ihn verwendet, zum Beispiel Buchhaltung.',
    may: 'Zugriff',
    lastUsed: 'Zuletzt verwendet',
    never: 'Nie',
    madeAt: 'Erstellt',
    actions: 'Aktionen',
    expires: (when) => `Läuft ab: ${when}`,
    own: 'Diese Konsole',
    accessLabel: 'Zugriff',
    access: {
      everything: 'Alles',
      readOnly: 'Nur lesen',
      moneyOnly: 'Nur Finanzen',
      custom: 'Benutzerdefiniert',
    },
    accessHints: {
      everything: 'Alles, was Sie dürfen, außer Schlüsseln.',
      readOnly: 'Sieht alles und ändert nichts.',
      moneyOnly: 'Einnahmen, Abrechnung, Buchungen und Räume, nur lesend.',
      custom: 'Sie wählen jede Berechtigung einzeln.',
    },
    scopes: 'Berechtigungen',
    andKeys: (words) => `${words}, und Schlüssel`,
    newKey: 'Neuer Schlüssel',
    giveOn:
      'Geben Sie ihn nur an die Person weiter, für die er ist, und so, dass niemand sonst ihn lesen kann.',
    revoke: 'Widerrufen',
    revokeKey: 'Schlüssel widerrufen',
    revokeWhat: (name) =>
      `${name} funktioniert sofort nicht mehr, und damit angemeldete Sitzungen enden. Das kann nicht rückgängig gemacht werden.`,
    revoked: (name) => `${name} ist widerrufen.`,
  },
};

const ERRORS: Readonly<Record<string, string>> = {
  redirect: 'Weiterleitung',
  timeout: 'Zeitüberschreitung',
  connect_timeout: 'Zeitüberschreitung beim Verbinden',
  connection_refused: 'Verbindung abgelehnt',
  connection_reset: 'Verbindung abgebrochen',
  dns_failure: 'Server nicht gefunden',
  blocked_address: 'Adresse nicht erlaubt',
  tls_error: 'keine sichere Verbindung',
  invalid_response: 'ungültige Antwort',
  too_large: 'Antwort zu groß',
  unreachable: 'nicht erreichbar',
  network_error: 'Netzwerkfehler',
  internal_error: 'Fehler auf unserer Seite',
};

export default german;
