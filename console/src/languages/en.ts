import type { WebhookDelivery } from '@hourkeep/client';
import { clock, count, many } from '../format.ts';
import { fieldLabels } from '../fields.ts';

// English is the source: what it says, every other language must say. Roles and names of controls are part of the
// contract: tests go by them.

const duration = (minutes: number): string =>
  minutes < 90 ? many(minutes, 'minute', 'minutes') : many(Math.round(minutes / 60), 'hour', 'hours');

const english = {
  more: 'More',
  skip: 'Skip to content',
  navigation: 'Main',
  environment: 'Environment',
  environments: { Live: 'Live', Test: 'Test' },
  language: 'Language',
  languageFailed: 'That language could not be loaded. Are you online?',
  signOut: 'Sign out',
  close: 'Close',
  cancel: 'Cancel',
  undo: 'Undo',
  notUndone: (why: string) => `Could not be undone. ${why}`,
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied.',
  tryAgain: 'Try again',
  exportCsv: 'Export CSV',
  optional: 'optional',
  inactive: 'Inactive',
  requestId: 'Request id',
  noSuchScreen: 'Page not found',
  chooseAbove: 'Choose one of the pages in the navigation.',
  noSpaces: 'No spaces yet. The operator of your platform adds them.',
  missingScope: (scope: string) =>
    `This key lacks the scope ${scope}. Ask your operator for a key that has it.`,
  pickDate: (label: string) => `Choose a date: ${label}`,
  datePlaceholder: 'YYYY-MM-DD',
  noDate: (example: string) => `Enter a date, for example ${example} or 2027-03-18.`,
  clock: {
    behind: (minutes: number) =>
      `The clock of this device is ${duration(minutes)} behind. The console goes by the service’s clock.`,
    ahead: (minutes: number) =>
      `The clock of this device is ${duration(minutes)} ahead. The console goes by the service’s clock.`,
  },
  goingOn: (seconds: number) => `Retrying in ${seconds} s.`,
  limit: { reached: 'This key has reached its request limit per minute.' },
  away: {
    gone: 'The service is not responding.',
    start: 'Hourkeep cannot be reached. Check your connection.',
  },

  /** The labels of what the API calls otherwise, for its refusals. */
  fields: fieldLabels.en,

  refusals: {
    /** What the API says about a field, with # for a number in it. */
    problems: {
      'is required': (label: string) => `${label} is missing.`,
      'must not be empty': (label: string) => `${label} is missing.`,
      'must not be blank': (label: string) => `${label} is missing.`,
      'must be an email address': (label: string) => `${label} must be an email address.`,
      'must have at most # characters': (label: string, number: string) =>
        `${label} must have at most ${number} characters.`,
      'must be # or more': (label: string, number: string) => `${label} must be ${number} or more.`,
      'must be # or less': (label: string, number: string) => `${label} must be ${number} or less.`,
      'must be # or less, the capacity of the space': (label: string, number: string) =>
        `${label}: at most ${number} people fit in this space.`,
      'must have at most # entries': (label: string, number: string) =>
        `${label} must have at most ${number} entries.`,
      'must not name anything twice': (label: string) => `${label} must not contain duplicates.`,
      'must be an https URL': (label: string) => `${label} must begin with https://.`,
      'is in the past': (label: string) => `${label}: that day is over.`,
      'must not have begun yet': () => 'These hours have already begun.',
      'to end_hour must lie within the operating hours': () =>
        'These hours lie outside of the opening hours.',
      'to end_hour has an hour that daylight saving skips on this date': () =>
        'Clocks go forward on this day: one of these hours does not exist.',
      'names a booking that is paid for: cancel it and make another one': () =>
        'This booking is paid for, so it cannot be moved. Cancel it and make another one.',
      'names a space that takes no bookings now': () => 'This space is inactive: it takes no bookings.',
      'must end after they begin': (label: string) => `${label}: Closes must be later than Opens.`,
      'must end after it begins': (label: string) => `${label}: Closes must be later than Opens.`,
      'must have a day that is open': (label: string) => `${label}: at least one day must be open.`,
      'must not have max_hours below min_hours, which is #': (_label: string, number: string) =>
        `Maximum length must not be below minimum length, ${number}.`,
      'must be later: this space is booked for at least # hours': (_label: string, number: string) =>
        `A booking of this space must have at least ${many(Number(number), 'hour', 'hours')}.`,
      'must be earlier: this space is booked for at most # hours': (_label: string, number: string) =>
        `A booking of this space can have at most ${many(Number(number), 'hour', 'hours')}.`,
      'must be later: this space is booked at least # hours in advance': (_label: string, number: string) =>
        `This space must be booked at least ${many(Number(number), 'hour', 'hours')} in advance.`,
      'must be earlier: this space is booked at most # days in advance': (_label: string, number: string) =>
        `This space can be booked at most ${many(Number(number), 'day', 'days')} in advance.`,
      'must be a URL such as https://images.example.com/#.jpg': (label: string) =>
        `${label} must be a URL that begins with https://.`,
      'must lead to a public address': (label: string) =>
        `${label} must be reachable on the public internet.`,
      'must name a host': (label: string) => `${label} is not a complete URL.`,
      'must not contain white space or control characters': (label: string) =>
        `${label} must not contain spaces.`,
      'is one too many: a space has at most #': (_label: string, number: string) =>
        `A space can have at most ${number} external calendars. Disconnect one first.`,
      'are limited to # per environment; revoke one first': (_label: string, number: string) =>
        `There can be ${number} keys at most. Revoke one first.`,
      'are limited to # per environment; delete one first': (_label: string, number: string) =>
        `There can be ${number} webhooks at most. Delete one first.`,
      'cannot be true: the operator has disabled this webhook, and only they can enable it again': () =>
        'The operator has disabled this webhook. Only they can enable it again.',
    },
    problem: (label: string, message: string) => `${label} ${message}.`,
    hours: (hours: readonly number[]) => `No longer available: ${hours.map(clock).join(', ')}.`,
    tooDear: (limit: string) => `One booking can cost at most ${limit}.`,
    codes: {
      INVALID_API_KEY: 'Unknown API key. Paste the complete key.',
      API_KEY_REVOKED: 'This key is revoked or expired. Ask your operator for a new one.',
      SELF_BOOKING_BLOCKED: 'Guest email is your own: a host cannot be the guest of their own space.',
      NOT_FOUND: 'This was deleted, or its link is wrong.',
      BOOKING_INVALID_SETTLEMENT_MODE: 'Paid to: your account does not have this choice.',
      BOOKING_CANCELLATION_BLOCKED: 'This booking cannot be cancelled or moved now.',
      GUEST_BOOKING_VELOCITY: 'This guest has made too many bookings in a short time. Try again later.',
      RATE_LIMIT_EXCEEDED: 'This key has reached its request limit per minute.',
      INTERNAL_ERROR:
        'Something went wrong on our side. Try again; if it happens again, give your operator the request id.',
      TIMEOUT: 'The request timed out. Check whether the change was saved before you try again.',
      CONNECTION_LOST:
        'The service cannot be reached. Check whether the change was saved before you try again.',
      UNEXPECTED_ANSWER: 'Unexpected response. Check your internet connection.',
    },
    notDone: 'The service is temporarily unavailable. Nothing was changed. Try again.',
    perhapsDone: 'The connection was interrupted. Check whether the change was saved before you try again.',
    other: 'Something went wrong.',
  },
  part: {
    notLoaded: 'This page could not be loaded: the connection is lost, or the service has just been updated.',
    broken: 'Something on this page went wrong.',
  },
  once: {
    copyNow: 'Copy it now. You will not be able to see it again.',
    byHand: 'It is selected: copy it with your keyboard or menu.',
    notCopied: 'You have not copied it yet, and it will not be shown again.',
    saved: 'I have saved it',
    leaveTitle: 'Leave without saving the key?',
    leave: 'Leave without it',
  },

  screens: {
    today: 'Today',
    calendar: 'Calendar',
    bookings: 'Bookings',
    money: 'Money',
    spaces: 'Spaces',
    webhooks: 'Webhooks',
    keys: 'Keys',
  },

  signIn: {
    title: 'Your spaces, hour by hour',
    lead: 'Sign in with an API key of your account. The key itself is not stored in this browser.',
    apiKey: 'API key',
    keyForm: 'hk_live_… or hk_test_…',
    stay: 'Stay signed in on this device',
    stayHint:
      'For 30 days. Guests’ names are kept on this device, so that you can read them offline. Only check this on a device of your own.',
    signIn: 'Sign in',
    advice:
      'Use a key made for this console alone: it shares its limit of requests with whatever else uses it, and can be revoked by itself.',
    tooMany: 'Too many attempts to sign in.',
    ended: 'Your session has ended. Sign in again.',
  },

  live: {
    booked: (guest: string, when: string) => `New booking: ${guest}, ${when}.`,
    moved: (guest: string, when: string) => `${guest} was moved to ${when}.`,
    cancelled: (guest: string, when: string) => `Cancelled: ${guest}, ${when}.`,
    many: (changes: number, last: string) => `${count(changes)} changes. The last one: ${last}`,
    notifyMe: 'Notify me',
    notified: 'While the console is open beside another window, a notification tells of each change.',
    notAllowed: 'Your browser blocks notifications of this page. Allow them in its settings.',
  },
  keyNote: {
    may: (can: string, cannot: string) => `This key may: ${can}. It may not: ${cannot}.`,
    words: {
      'spaces:read': 'view spaces',
      'availability:read': 'view free hours',
      'bookings:read': 'view bookings',
      'settlement:read': 'view monthly statements',
      'earnings:read': 'view earnings',
      'webhooks:read': 'view webhooks',
      'bookings:write': 'book, move and cancel',
      'blocks:write': 'block hours',
      'spaces:write': 'change spaces',
      'webhooks:write': 'manage webhooks',
    },
  },
  offline: {
    title: 'Offline',
    from: (time: string) => `You see data from ${time}.`,
    readOnly: 'Without a connection nothing can be changed.',
    notKept: 'Not available offline. It loads when you are connected again.',
    someBookings: 'Offline you see the bookings that you last opened on this device.',
    noBooking: 'None of the bookings kept on this device matches.',
  },

  welcome: {
    title: 'Welcome to your console',
    lead: 'You are invited to manage your spaces here. Make your own key: it is made now, and nobody but you ever sees it.',
    makeKey: 'Make my key',
    once: 'The link works once. The key signs you in here and in your own programs.',
    yourKey: 'Your key',
    keep: 'Keep this key where you keep passwords: you sign in with it, and it is never shown again.',
    made: 'Your key is ready.',
    noToken: 'The end of the link is missing. Open the link that you were sent once more, the whole of it.',
    refusals: {
      INVITATION_USED:
        'This link has been used: its key was made already. If that was not you, tell your operator; they can send you a new link.',
      INVITATION_EXPIRED: 'This link has expired. Ask your operator for a new one.',
      INVITATION_WITHDRAWN: 'Your operator has withdrawn this link. Ask them for a new one.',
      NOT_FOUND: 'Unknown link. Open the whole link that you were sent, or ask for a new one.',
      RATE_LIMIT_EXCEEDED: 'That was tried too often. Wait a minute, then press the button again.',
    },
  },

  today: {
    today: {
      guests: 'Guests today',
      nobody: 'Nobody has booked for today.',
    },
    tomorrow: {
      guests: 'Guests tomorrow',
      nobody: 'Nobody has booked for tomorrow.',
    },
    cut: (bookings: number) => `Only the next ${count(bookings)} bookings are shown here. All of them:`,
    bySpace: 'Spaces',
    nobodyAhead: (days: number) => `No bookings in the next ${days} days`,
    hereUntil: (time: string) => `Here until ${time}`,
    hoursLeft: (hours: number) =>
      hours === 0 ? 'No free hour left today' : `${many(hours, 'free hour', 'free hours')} left today`,
    closedToday: 'Closed today',
    openDay: 'Open day',
    netThisMonth: 'Net this month',
    upcomingNet: (amount: string, bookings: number) =>
      `${amount} more from ${many(bookings, 'upcoming booking', 'upcoming bookings')}`,
    webhooks: 'Webhooks',
    allWell: 'All well',
    inTrouble: (number: number) => `${number} in trouble`,
    none: 'None',
    webhookCount: (number: number) => (number === 0 ? 'No webhooks yet' : `${number} set up`),
    statuses: { over: 'Over', here: 'Here now', ahead: 'Expected' },
  },

  calendar: {
    grid: 'Calendar',
    space: 'Space',
    allSpaces: 'All spaces',
    view: 'View',
    views: { day: 'Day', week: 'Week', month: 'Month' },
    goToDate: 'Go to date',
    previous: 'Previous',
    next: 'Next',
    today: 'Today',
    thisWeek: 'This week',
    zone: (zones: readonly string[]) =>
      zones.length === 1
        ? `Times are in the time zone of the space: ${zones[0]}`
        : 'Times are in the time zone of each space.',
    monthDay: (date: string, free: number, bookings: number) =>
      `${date}, ${many(free, 'hour free', 'hours free')}, ${many(bookings, 'booking', 'bookings')}`,
    loadingDay: (date: string) => `${date}, loading`,
    free: (hours: number) => `${hours} free`,
    bookings: (bookings: number) => many(bookings, 'booking', 'bookings'),
    monthKeys: 'Press a day, or use the arrow keys and Enter, to open it.',
    /** What a cell is called after its date and hour. */
    states: {
      available: 'available',
      booked: 'booked',
      blocked: 'blocked',
      'external calendar': 'external calendar',
      closed: 'closed',
      loading: 'loading',
    },
    cell: {
      booked: 'Booked',
      blocked: 'Blocked',
      external: 'External calendar',
      skipped: 'Clock change',
      repeated: 'Twice',
    },
    notes: {
      past: 'already begun',
      now: 'already begun, free for a walk-in',
      skipped: 'clocks go forward: this hour does not exist on this day',
      repeated: 'clocks go back: this hour comes twice on this day',
    },
    legend: [
      ['available', 'Free'],
      ['booked', 'Booked'],
      ['blocked', 'Blocked by you'],
      ['external calendar', 'External calendar'],
      ['closed', 'Closed or past'],
    ] as const,
    keys: 'Drag over free hours, or use the arrow keys, Shift and arrows, and Enter.',
    selected: (range: { start_hour: number; end_hour: number }) =>
      `${clock(range.start_hour)} to ${clock(range.end_hour)} selected`,
    tapped: (hour: number) => `From ${clock(hour)}: tap the end`,
    thisHour: 'This hour only',
  },

  hours: {
    title: 'Hours',
    tabs: 'What to do with these hours',
    book: 'Book',
    block: 'Block',
    starts: 'Starts',
    ends: 'Ends',
    chosen: 'Chosen hours',
    taken: 'taken',
    free: 'free',
    toHost: 'You, the host',
    toPlatform: 'The platform',
    bookHours: 'Book hours',
    reasonHint: 'For you alone: guests and calendars do not see it.',
    blockHours: 'Block hours',
    begun: 'These hours have begun: they can be blocked, but not booked.',
    untilDate: 'Until date',
    untilHint: 'The same hours on every day until then.',
    untilBefore: 'This is before the first day.',
    untilTooFar: 'At most a year at once.',
    weekdays: 'On these days',
    noDay: 'None of the days until then is chosen. Choose at least one.',
    onDays: (days: number) => many(days, 'day', 'days'),
    takenAt: (hours: string) => `not free: ${hours}`,
    blockedAt: (hours: string) => `blocked: ${hours}`,
    takenDays: (done: number, taken: number) =>
      `${done === 0 ? 'Nothing was blocked' : `Blocked on ${many(done, 'day', 'days')}`}. Some hours were not free on ${many(taken, 'day', 'days')}:`,
    done: 'Done',
    blockedDays: (range: string, days: number) => `Blocked ${range} on ${many(days, 'day', 'days')}.`,
    unblockedDays: (range: string, days: number) => `Unblocked ${range} on ${many(days, 'day', 'days')}.`,
    unblockHours: 'Unblock hours',
    youBlocked: 'You have blocked these hours.',
    external: 'An external calendar holds this hour. It is free here again when it is free there.',
    booked: (guest: string, range: string) => `Booked ${range} for ${guest}.`,
    blocked: (range: string) => `Blocked ${range}.`,
    unblocked: (range: string) => `Unblocked ${range}.`,
    optionalEmail: 'Guest email (optional)',
    bookNow: 'Book now',
    now: (hour: string) => `Now, ${hour}`,
    closedNow: 'This space is closed now.',
  },

  /** When a space is open, and what its bookings must keep to. */
  spaceRules: {
    daily: 'every day',
    allDay: 'all day',
    atLeast: (hours: number) => `at least ${many(hours, 'hour', 'hours')}`,
    atMost: (hours: number) => `at most ${many(hours, 'hour', 'hours')}`,
    notice: (hours: number) => `${many(hours, 'hour', 'hours')} in advance`,
    ahead: (days: number) => `up to ${many(days, 'day', 'days')} ahead`,
  },

  booking: {
    title: 'Booking',
    when: 'When',
    space: 'Space',
    status: 'Status',
    email: 'Email',
    phone: 'Phone',
    price: 'Price',
    payment: 'Payment',
    payBy: 'Pay by',
    orCancelled: (when: string) => `${when}, otherwise it is cancelled`,
    walkIn: 'Walk-in',
    made: 'Made',
    cancelledAt: 'Cancelled',
    reason: 'Reason',
    reasonRequired: 'Reason (required)',
    reasonHint: 'Kept with the booking. Its hours are free again at once.',
    cancelBooking: 'Cancel booking',
    cancelled: (guest: string, when: string) => `The booking of ${guest}, ${when}, is cancelled.`,
    allOfGuest: 'All bookings of this guest',
    statuses: { confirmed: 'Confirmed', completed: 'Completed', cancelled: 'Cancelled' },
    sources: { api: 'through the API', platform: 'on the platform' },
    /** What became of the money: the same words wherever a booking is shown. */
    payments: (mode: string, payment: string, booking: string) => {
      if (payment === 'refunded') return 'Paid to the platform, refunded';
      const cancelled = booking === 'cancelled';
      if (payment === 'confirmed')
        return cancelled ? 'Paid to the platform, to be refunded' : 'Paid to the platform';
      if (cancelled) return 'Cancelled, nothing to pay';
      return mode === 'host_settled' ? 'Paid to you' : 'To the platform, not paid yet';
    },
  },

  move: {
    move: 'Move',
    title: 'Move to',
    newDate: 'New date',
    from: 'From',
    to: 'To',
    newSpace: 'New space',
    moveBooking: 'Move booking',
    keep: 'Leave it',
    moved: (guest: string, when: string) => `The booking of ${guest} is moved to ${when}.`,
    samePrice: (price: string) => `${price}, as before`,
    newPrice: (was: string, is: string) => `${is} instead of ${was}`,
    begun: 'This booking has begun. It can no longer be moved or cancelled.',
    paid: 'This booking is paid for, so it cannot be moved. Cancel it and make another one.',
  },

  bookings: {
    status: 'Status',
    allStatuses: 'All',
    space: 'Space',
    from: 'From',
    to: 'To',
    when: 'When',
    guest: 'Guest',
    price: 'Price',
    payment: 'Payment',
    findGuest: 'Find a guest',
    findHint: 'A name or an email, two letters or more.',
    findSince: (date: string) => `Looks from ${date} on, a year back. Change From to look elsewhere.`,
    none: 'No booking matches. Change the dates or the status to see others.',
    previousPage: 'Previous page',
    nextPage: 'Next page',
    page: (page: number, total: string) => `Page ${page}, ${total} in all`,
    moreThan: (total: string) => `more than ${total}`,
    exported: (number: number) => `${number} read so far`,
    newestFirst: 'All bookings of this guest, newest first.',
  },

  money: {
    earningsLead:
      'These four count all your bookings, from the API and from the platform: those that are over as earned, the others as upcoming.',
    parts: { this_month: 'This month', last_month: 'Last month', upcoming: 'Upcoming', lifetime: 'Lifetime' },
    netOf: (gross: string, commission: string) => `${gross} less ${commission} commission`,
    countOf: (bookings: number, hours: number) =>
      `${many(bookings, 'booking', 'bookings')}, ${many(hours, 'hour', 'hours')}`,
    countCancelled: (bookings: number, cancelled: number) =>
      cancelled === 0 ? `${bookings}` : `${bookings}, and ${cancelled} cancelled`,
    lastTwelve: 'The last twelve months',
    byMonth: 'Earnings by month',
    chart: (month: string, amount: string) =>
      `What you earned after commission. Best month: ${month}, ${amount}.`,
    emptyChart: 'Nothing earned in these twelve months yet.',
    bySpace: 'Lifetime by space',
    report: 'Monthly statement',
    reportLead:
      'This counts only bookings made through the API, in the month in which they take place, those still to come too: it is what you and the platform owe each other.',
    notAMonth: (example: string) => `Enter a month, for example 2027-03 or ${example}.`,
    totals: 'Totals',
    month: 'Month',
    previousMonth: 'Previous month',
    nextMonth: 'Next month',
    space: 'Space',
    date: 'Date',
    paidTo: 'Payment',
    bookings: 'Bookings',
    hours: 'Hours',
    gross: 'Gross',
    commission: 'Commission',
    net: 'Net',
    hostCollected: 'You collected',
    platformCollected: 'The platform collected',
    states: { open: 'Still open: these figures can change.', closed: 'Closed' },
    lines: 'Bookings of the report',
    noLines: (month: string) => `There are no API bookings in ${month}.`,
    owesYou: (amount: string, month: string) => `The platform owes you ${amount} at the end of ${month}.`,
    youOwe: (amount: string, month: string) => `You owe the platform ${amount} at the end of ${month}.`,
    nobodyOwes: (month: string) => `No balance at the end of ${month}.`,
    refunds: (bookings: number, amount: string) =>
      `${many(bookings, 'guest', 'guests')} cancelled after paying: ${amount} must be refunded.`,
    statement: {
      title: (month: string) => `Statement for ${month}`,
      closedOn: (date: string) => `Closed on ${date}. Later changes are adjustments in a later month.`,
      print: 'Print',
      balance: 'Balance',
      opening: 'Opening balance',
      earned: 'Earned, paid to the platform (after commission)',
      commission: 'Commission on bookings paid to you',
      adjustments: 'Adjustments',
      payouts: 'Payouts',
      closing: 'Closing balance',
      refunded: 'Refunded to guests',
      refunds: (bookings: number, amount: string) =>
        `${many(bookings, 'guest', 'guests')} cancelled after paying: ${amount} was still to be refunded when the month was closed.`,
      recorded: 'Recorded',
      what: 'What',
      bookingOf: 'Booking of',
      bookingId: 'Booking',
      reference: 'Reference',
      amount: 'Amount',
      bySpace: 'By space',
      toYou: 'From the platform to you',
      byYou: 'From you to the platform',
      kinds: {
        payment_confirmed: 'Late payment',
        payment_voided: 'Payment reversed',
        refunded: 'Refund to the guest',
        late_booking: 'Late booking',
      },
    },
  },

  spaces: {
    lead: 'Change a title or a price in place and press Enter. An inactive space takes no bookings.',
    title: 'Title',
    price: 'Price per hour',
    active: 'Active',
    save: 'Save',
    saved: (title: string) => `Saved ${title}.`,
    savedPrice: (title: string, amount: string) => `Saved ${title}: ${amount} per hour.`,
    isActive: (title: string) => `${title} is active: guests can book it.`,
    isInactive: (title: string) => `${title} is inactive: it takes no bookings.`,
    notAPrice: (example: string, currency: string) =>
      `Price per hour: enter an amount in ${currency}, for example ${example}.`,
    people: (number: number) => many(number, 'person', 'people'),
    openAllDay: 'Open all day',
    deactivate: 'Deactivate',
    deactivateWhat: 'Nobody can book it until you make it active again. Bookings that are made already stay.',
    ahead: (bookings: number) =>
      bookings === 0
        ? 'No booking lies ahead.'
        : bookings === 1
          ? '1 booking lies ahead and stays:'
          : `${many(bookings, '', 'bookings')} lie ahead and stay:`,
    more: (number: number) => `and ${many(number, 'more', 'more')}`,
    details: 'Details',
    description: 'Description',
    everyDay: 'Same hours every day',
    byWeekday: 'By weekday',
    opens: 'Opens',
    closes: 'Closes',
    closed: 'Closed',
    hoursHint: 'Bookings that are made already stay, also where the new hours are closed.',
    rulesHint: 'Leave a field empty for no such rule. Rules apply to new bookings and to moves.',
    capacity: 'Capacity',
    capacityHint: 'How many people fit in. Leave it empty where you do not know.',
    notANumber: (label: string) => `${label} must be a whole number.`,
    amenities: 'Amenities',
    onePerLine: 'One per line.',
    photos: 'Photos',
    photosHint: 'Addresses of pictures, one per line.',
    feed: 'Calendar feed',
    feedWhat: 'Shows the bookings and blocks of this space in the calendar of your phone or computer.',
    feedEnds:
      'You get a new address. The old address ends at once: calendars that use it are no longer updated.',
    makeFeed: 'Make a new address',
    feedAddress: 'Feed address',
    feedHow: [
      'Google Calendar: on a computer, choose the + beside Other calendars, then From URL, and paste the address.',
      'Apple Calendar: choose File, New Calendar Subscription (on an iPhone: Calendars, Add Calendar, Add Subscription Calendar), and paste the address.',
      'Outlook: choose Add calendar, then Subscribe from web, and paste the address.',
    ],
    calendars: 'External calendars',
    calendarsLead: 'Events of an external calendar block their hours here, to prevent double bookings.',
    noCalendars: 'No external calendars yet.',
    calendarAddress: 'Calendar address',
    calendarHint:
      'The calendar’s address in iCal format, which ends in .ics: in Google under Settings and sharing, in Apple under Public Calendar, in Outlook under Publish a calendar.',
    connect: 'Connect',
    connected: 'Connected. Importing now.',
    disconnect: 'Disconnect',
    disconnected: (address: string) => `${address} is disconnected: its hours are free.`,
    connectedCount: (number: number) => `${count(number)} connected`,
    failing: (number: number) => `${count(number)} failing`,
    calendarStates: {
      waiting: (_when?: string) => 'Connected. First import in progress.',
      ok: (when?: string) => `Synced at ${when}: its hours are blocked here.`,
      warning: (when?: string) => `Synced at ${when}, but some entries could not be parsed.`,
      failing: (when?: string) =>
        when === undefined
          ? 'Sync failed. It has never been synced.'
          : `Sync failed. The hours of the last sync at ${when} stay blocked.`,
    },
  },

  webhooks: {
    add: 'Add webhook',
    lead: 'Send events to your own systems as they happen.',
    none: 'No webhooks yet. Add one to receive bookings and changes at your URL.',
    url: 'URL',
    address: 'URL',
    description: 'Description',
    events: 'Events',
    state: 'Status',
    actions: 'Actions',
    deliveries: 'Last deliveries',
    noDeliveries: 'Nothing sent yet',
    lastDeliveries: (url: string) => `Last deliveries to ${url}`,
    active: 'Active',
    paused: 'Paused',
    pause: 'Pause',
    resume: 'Resume',
    isPaused: 'Paused: nothing is sent until you resume it.',
    isResumed: 'Resumed: pending events are sent now.',
    edit: 'Edit',
    editWebhook: 'Edit webhook',
    newAddress: 'Pending events are sent to the new URL immediately.',
    save: 'Save',
    saved: 'The webhook is saved.',
    savedAddress: 'The webhook is saved: pending events are sent to the new URL now.',
    rotate: 'Rotate secret',
    rotateNow: 'Make a new secret',
    rotateWhat: 'A new secret is made and shown once. The old one stays valid for 24 hours.',
    delete: 'Delete',
    deleteWebhook: 'Delete webhook',
    deleteWhat: (url: string) => `No more events are sent to ${url}. This cannot be undone.`,
    deleted: 'The webhook is deleted.',
    secret: 'Secret',
    signingSecret: 'Signing secret',
    verifyWith: 'Verify each delivery before you trust it:',
    snippetLabel: 'How to verify a delivery',
    disabled: (reason: string) =>
      ({
        receiver_gone: 'Disabled: the endpoint returned 410 (Gone).',
        five_days_of_failures: 'Disabled: every delivery failed for five days.',
        operator: 'Disabled by the operator.',
      })[reason] ?? `Disabled: ${reason}`,
    inWords,
  },

  keys: {
    lead: 'Keys for people and programs that work with your account, such as an accountant. A key can be revoked at any time.',
    make: 'Make a key',
    makeKey: 'Make key',
    name: 'Name',
    nameHint: 'Who or what uses it, for example Accountant.',
    may: 'Access',
    lastUsed: 'Last used',
    never: 'Never',
    madeAt: 'Made',
    actions: 'Actions',
    expires: (when: string) => `Expires ${when}`,
    own: 'This console',
    accessLabel: 'Access',
    access: { everything: 'Everything', readOnly: 'Read only', moneyOnly: 'Money only', custom: 'Custom' },
    accessHints: {
      everything: 'All that you can do, except keys.',
      readOnly: 'Sees everything and changes nothing.',
      moneyOnly: 'Earnings, settlement, bookings and spaces, read only.',
      custom: 'You choose each scope.',
    },
    scopes: 'Scopes',
    andKeys: (words: string) => `${words}, and keys`,
    newKey: 'New key',
    giveOn: 'Give it only to whoever it is for, in a way that nobody else can read.',
    revoke: 'Revoke',
    revokeKey: 'Revoke key',
    revokeWhat: (name: string) =>
      `${name} stops working at once, and sessions signed in with it end. This cannot be undone.`,
    revoked: (name: string) => `${name} is revoked.`,
  },
} as const;

const ERRORS: Readonly<Record<string, string>> = {
  redirect: 'redirect',
  timeout: 'timed out',
  connect_timeout: 'no connection in time',
  connection_refused: 'connection refused',
  connection_reset: 'connection reset',
  dns_failure: 'no such server',
  blocked_address: 'address not allowed',
  tls_error: 'no secure connection',
  invalid_response: 'invalid response',
  too_large: 'response too large',
  unreachable: 'cannot be reached',
  network_error: 'network error',
  internal_error: 'our own error',
};

/** “failed, returned 503, next attempt at 2:20 PM”. A webhook that is not active keeps what waits, whatever its time. */
function inWords(delivery: WebhookDelivery, moment: (instant: string) => string, isActive: boolean): string {
  const { status, attempts, response_status, error, last_attempt_at, next_attempt_at } = delivery;
  if (status === 'delivered') {
    const when = last_attempt_at === null ? '' : ` at ${moment(last_attempt_at)}`;
    return `delivered${when}${response_status === null ? '' : `, returned ${response_status}`}`;
  }
  const waits = 'queued until the webhook is active again';
  if (attempts === 0) return isActive ? 'queued' : waits;
  const answer =
    response_status === null ? (ERRORS[error ?? ''] ?? 'no response') : `returned ${response_status}`;
  if (status === 'failed')
    return `failed, ${answer}, no more attempts after ${many(attempts, 'attempt', 'attempts')}`;
  if (next_attempt_at === null) return `failed, ${answer}, retry in progress`;
  return `failed, ${answer}, ${isActive ? `next attempt at ${moment(next_attempt_at)}` : waits}`;
}

/** The same names with other words; functions take the same. */
type Said<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof T]: Said<T[Name]> };

export type Words = Said<typeof english>;

export default english satisfies Words;
