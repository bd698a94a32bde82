import { clock, count, many } from '../format.ts';
import type { Words } from './en.ts';
import { fieldLabels } from '../fields.ts';

const duration = (minutes: number): string =>
  minutes < 90 ? many(minutes, 'minuto', 'minutos') : many(Math.round(minutes / 60), 'hora', 'horas');

const spanish: Words = {
  more: 'Más',
  skip: 'Saltar al contenido',
  navigation: 'Principal',
  environment: 'Entorno',
  environments: { Live: 'En vivo', Test: 'Prueba' },
  language: 'Idioma',
  languageFailed: 'No se ha podido cargar ese idioma. ¿Tienes conexión?',
  signOut: 'Cerrar sesión',
  close: 'Cerrar',
  cancel: 'Cancelar',
  undo: 'Deshacer',
  notUndone: (why) => `No se ha podido deshacer. ${why}`,
  dismiss: 'Descartar',
  copy: 'Copiar',
  copied: 'Copiado.',
  tryAgain: 'Reintentar',
  exportCsv: 'Exportar CSV',
  optional: 'opcional',
  inactive: 'Inactivo',
  requestId: 'ID de solicitud',
  noSuchScreen: 'Página no encontrada',
  chooseAbove: 'Elige una de las páginas del menú.',
  noSpaces: 'Aún no hay espacios. Los añade el operador de tu plataforma.',
  missingScope: (scope) =>
    `A esta clave le falta el permiso ${scope}. Pide a tu operador una clave que lo tenga.`,
  pickDate: (label) => `Elegir una fecha: ${label}`,
  datePlaceholder: 'AAAA-MM-DD',
  noDate: (example) => `Introduce una fecha, por ejemplo ${example} o 2027-03-18.`,
  clock: {
    behind: (minutes) =>
      `El reloj de este dispositivo va ${duration(minutes)} atrasado. La consola sigue el reloj del servicio.`,
    ahead: (minutes) =>
      `El reloj de este dispositivo va ${duration(minutes)} adelantado. La consola sigue el reloj del servicio.`,
  },
  goingOn: (seconds) => `Se reintentará en ${seconds} s.`,
  limit: { reached: 'Esta clave ha alcanzado su límite de solicitudes por minuto.' },
  away: {
    gone: 'El servicio no responde en este momento.',
    start: 'No se puede acceder a Hourkeep. Comprueba tu conexión.',
  },

  fields: fieldLabels.es,

  refusals: {
    problems: {
      'is required': (label) => `Falta: ${label}.`,
      'must not be empty': (label) => `Falta: ${label}.`,
      'must not be blank': (label) => `Falta: ${label}.`,
      'must be an email address': (label) => `${label}: tiene que ser una dirección de correo.`,
      'must have at most # characters': (label, number) => `${label}: como mucho ${number} caracteres.`,
      'must be # or more': (label, number) => `${label}: tiene que ser ${number} o más.`,
      'must be # or less': (label, number) => `${label}: tiene que ser ${number} o menos.`,
      'must be # or less, the capacity of the space': (label, number) =>
        `${label}: en este espacio caben ${number} como mucho.`,
      'must have at most # entries': (label, number) => `${label}: como mucho ${number} entradas.`,
      'must not name anything twice': (label) => `${label}: no puede contener duplicados.`,
      'must be an https URL': (label) => `${label}: tiene que empezar por https://.`,
      'is in the past': (label) => `${label}: ese día ya ha pasado.`,
      'must not have begun yet': () => 'Estas horas ya han empezado.',
      'to end_hour must lie within the operating hours': () =>
        'Estas horas están fuera del horario de apertura.',
      'to end_hour has an hour that daylight saving skips on this date': () =>
        'Ese día se adelantan los relojes: una de estas horas no existe.',
      'names a booking that is paid for: cancel it and make another one': () =>
        'Esta reserva está pagada y no se puede mover. Cancélala y haz otra.',
      'names a space that takes no bookings now': () => 'Este espacio está inactivo: no admite reservas.',
      'must end after they begin': (label) => `${label}: «Cierra» tiene que ser más tarde que «Abre».`,
      'must end after it begins': (label) => `${label}: «Cierra» tiene que ser más tarde que «Abre».`,
      'must have a day that is open': (label) => `${label}: al menos un día tiene que estar abierto.`,
      'must not have max_hours below min_hours, which is #': (_label, number) =>
        `La duración máxima no puede ser menor que la mínima, ${number}.`,
      'must be later: this space is booked for at least # hours': (_label, number) =>
        `Una reserva de este espacio dura al menos ${many(Number(number), 'hora', 'horas')}.`,
      'must be earlier: this space is booked for at most # hours': (_label, number) =>
        `Una reserva de este espacio dura como mucho ${many(Number(number), 'hora', 'horas')}.`,
      'must be later: this space is booked at least # hours in advance': (_label, number) =>
        `Este espacio se reserva con al menos ${many(Number(number), 'hora', 'horas')} de antelación.`,
      'must be earlier: this space is booked at most # days in advance': (_label, number) =>
        `Este espacio se reserva con ${many(Number(number), 'día', 'días')} de antelación como mucho.`,
      'must be a URL such as https://images.example.com/#.jpg': (label) =>
        `${label}: tiene que ser una URL que empiece por https://.`,
      'must lead to a public address': (label) => `${label}: tiene que ser accesible desde internet.`,
      'must name a host': (label) => `${label}: no es una URL completa.`,
      'must not contain white space or control characters': (label) =>
        `${label}: no puede contener espacios.`,
      'is one too many: a space has at most #': (_label, number) =>
        `Un espacio puede tener ${number} calendarios externos como mucho. Desconecta uno primero.`,
      'are limited to # per environment; revoke one first': (_label, number) =>
        `Puede haber como máximo ${number} claves. Revoca una primero.`,
      'are limited to # per environment; delete one first': (_label, number) =>
        `Puede haber ${number} webhooks como mucho. Elimina uno primero.`,
      'cannot be true: the operator has disabled this webhook, and only they can enable it again': () =>
        'El operador ha desactivado este webhook, y solo él puede volver a activarlo.',
    },
    problem: (label) => `Revisa esto: ${label}.`,
    hours: (hours) => `Ya no están disponibles: ${hours.map(clock).join(', ')}.`,
    tooDear: (limit) => `Una reserva puede costar ${limit} como mucho.`,
    codes: {
      INVALID_API_KEY: 'Clave API desconocida. Pega la clave completa.',
      API_KEY_REVOKED: 'Esta clave se ha revocado o ha caducado. Pide una nueva a tu operador.',
      SELF_BOOKING_BLOCKED:
        'El correo del cliente es el tuyo: un anfitrión no puede ser cliente de su propio espacio.',
      NOT_FOUND: 'Se ha eliminado, o el enlace es incorrecto.',
      BOOKING_INVALID_SETTLEMENT_MODE: 'Se paga a: tu cuenta no tiene esta opción.',
      BOOKING_CANCELLATION_BLOCKED: 'Esta reserva no se puede cancelar ni mover ahora.',
      GUEST_BOOKING_VELOCITY:
        'Este cliente ha hecho demasiadas reservas en poco tiempo. Inténtalo más tarde.',
      RATE_LIMIT_EXCEEDED: 'Esta clave ha alcanzado su límite de solicitudes por minuto.',
      INTERNAL_ERROR:
        'Algo ha fallado por nuestra parte. Inténtalo de nuevo; si sigue así, da a tu operador el ID de solicitud.',
      TIMEOUT:
        'Se ha agotado el tiempo de espera. Comprueba si el cambio se ha guardado antes de intentarlo de nuevo.',
      CONNECTION_LOST:
        'No se puede conectar con el servicio. Comprueba si el cambio se ha guardado antes de intentarlo de nuevo.',
      UNEXPECTED_ANSWER: 'Respuesta inesperada. Comprueba tu conexión a internet.',
    },
    notDone: 'El servicio no está disponible temporalmente. No se ha cambiado nada. Inténtalo de nuevo.',
    perhapsDone:
      'Se ha interrumpido la conexión. Comprueba si el cambio se ha guardado antes de intentarlo de nuevo.',
    other: 'Se ha producido un error.',
  },
  part: {
    notLoaded: 'No se ha podido cargar esta página: no hay conexión, o el servicio se acaba de actualizar.',
    broken: 'Algo ha fallado en esta página.',
  },
  once: {
    copyNow: 'Cópialo ahora: no podrás volver a verlo.',
    byHand: 'Está seleccionado: cópialo con el teclado o el menú.',
    notCopied: 'Aún no lo has copiado, y no se volverá a mostrar.',
    saved: 'Ya lo he guardado',
    leaveTitle: '¿Salir sin guardar la clave?',
    leave: 'Salir sin ella',
  },

  screens: {
    today: 'Hoy',
    calendar: 'Calendario',
    bookings: 'Reservas',
    money: 'Finanzas',
    spaces: 'Espacios',
    webhooks: 'Webhooks',
    keys: 'Claves',
  },

  signIn: {
    title: 'Tus espacios, hora a hora',
    lead: 'Inicia sesión con una clave API de tu cuenta. La clave no se guarda en este navegador.',
    apiKey: 'Clave API',
    keyForm: 'hk_live_… o hk_test_…',
    stay: 'Mantener la sesión iniciada en este dispositivo',
    stayHint:
      'Durante 30 días. Los nombres de los clientes se guardan en este dispositivo para que puedas leerlos sin conexión. Márcalo solo en un dispositivo tuyo.',
    signIn: 'Iniciar sesión',
    advice:
      'Usa una clave solo para esta consola: comparte su límite de solicitudes con todo lo demás que la use, y se puede revocar por separado.',
    tooMany: 'Demasiados intentos de inicio de sesión.',
    ended: 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  },

  live: {
    booked: (guest: string, when: string) => `Nueva reserva: ${guest}, ${when}.`,
    moved: (guest: string, when: string) => `La reserva de ${guest} pasa al ${when}.`,
    cancelled: (guest: string, when: string) => `Cancelada: ${guest}, ${when}.`,
    many: (changes: number, last: string) => `${count(changes)} cambios. El último: ${last}`,
    notifyMe: 'Notificarme',
    notified: 'Mientras la consola esté abierta junto a otra ventana, una notificación avisa de cada cambio.',
    notAllowed: 'Tu navegador bloquea las notificaciones de esta página. Permítelas en su configuración.',
  },
  keyNote: {
    may: (can: string, cannot: string) => `Esta clave puede: ${can}. No puede: ${cannot}.`,
    words: {
      'spaces:read': 'ver espacios',
      'availability:read': 'ver horas libres',
      'bookings:read': 'ver reservas',
      'settlement:read': 'ver liquidaciones mensuales',
      'earnings:read': 'ver ingresos',
      'webhooks:read': 'ver webhooks',
      'bookings:write': 'reservar, mover y cancelar',
      'blocks:write': 'bloquear horas',
      'spaces:write': 'cambiar espacios',
      'webhooks:write': 'gestionar webhooks',
    },
  },
  offline: {
    title: 'Sin conexión',
    from: (time) => `Datos del ${time}.`,
    readOnly: 'Sin conexión no se puede cambiar nada.',
    notKept: 'No disponible sin conexión. Se cargará cuando vuelva la conexión.',
    someBookings: 'Sin conexión ves las reservas que abriste por última vez en este dispositivo.',
    noBooking: 'Ninguna de las reservas guardadas en este dispositivo coincide.',
  },

  welcome: {
    title: 'Te damos la bienvenida a tu consola',
    lead: 'Tienes una invitación para gestionar aquí tus espacios. Crea tu propia clave: se crea ahora, y nadie más que tú la ve nunca.',
    makeKey: 'Crear mi clave',
    once: 'El enlace sirve una sola vez. Con la clave entras aquí y en tus propios programas.',
    yourKey: 'Tu clave',
    keep: 'Guarda esta clave donde guardas tus contraseñas: con ella entras, y no se vuelve a mostrar.',
    made: 'Tu clave está lista.',
    noToken: 'Falta el final del enlace. Abre otra vez el enlace que recibiste, entero.',
    refusals: {
      INVITATION_USED:
        'Este enlace ya se ha usado: su clave ya está creada. Si no has sido tú, díselo a tu operador; puede enviarte un enlace nuevo.',
      INVITATION_EXPIRED: 'Este enlace ha caducado. Pide uno nuevo a tu operador.',
      INVITATION_WITHDRAWN: 'Tu operador ha retirado este enlace. Pídele uno nuevo.',
      NOT_FOUND: 'Enlace desconocido. Abre entero el enlace que recibiste, o pide uno nuevo.',
      RATE_LIMIT_EXCEEDED: 'Se ha intentado demasiadas veces. Espera un minuto y pulsa de nuevo el botón.',
    },
  },

  today: {
    today: {
      guests: 'Clientes de hoy',
      nobody: 'Nadie ha reservado para hoy.',
    },
    tomorrow: {
      guests: 'Clientes de mañana',
      nobody: 'Nadie ha reservado para mañana.',
    },
    cut: (bookings) => `Aquí solo aparecen las próximas ${count(bookings)} reservas. Todas:`,
    bySpace: 'Espacios',
    nobodyAhead: (days) => `Sin reservas en los próximos ${days} días`,
    hereUntil: (time) => `Aquí hasta las ${time}`,
    hoursLeft: (hours) =>
      hours === 0
        ? 'Hoy no queda ninguna hora libre'
        : `Hoy quedan ${many(hours, 'hora libre', 'horas libres')}`,
    closedToday: 'Cerrado hoy',
    openDay: 'Abrir el día',
    netThisMonth: 'Neto este mes',
    upcomingNet: (amount, bookings) =>
      `${amount} más de ${many(bookings, 'reserva próxima', 'reservas próximas')}`,
    webhooks: 'Webhooks',
    allWell: 'Todo bien',
    inTrouble: (number) => `${number} con problemas`,
    none: 'Ninguno',
    webhookCount: (number) =>
      number === 0 ? 'Aún no hay webhooks' : many(number, 'configurado', 'configurados'),
    statuses: { over: 'Terminada', here: 'Aquí ahora', ahead: 'Esperado' },
  },

  calendar: {
    grid: 'Calendario',
    space: 'Espacio',
    allSpaces: 'Todos los espacios',
    view: 'Vista',
    views: { day: 'Día', week: 'Semana', month: 'Mes' },
    goToDate: 'Ir a fecha',
    previous: 'Anterior',
    next: 'Siguiente',
    today: 'Hoy',
    thisWeek: 'Esta semana',
    zone: (zones) =>
      zones.length === 1
        ? `Horas en la zona horaria del espacio: ${zones[0]}`
        : 'Horas en la zona horaria de cada espacio.',
    monthDay: (date, free, bookings) =>
      `${date}, ${many(free, 'hora libre', 'horas libres')}, ${many(bookings, 'reserva', 'reservas')}`,
    loadingDay: (date) => `${date}, cargando`,
    free: (hours) => many(hours, 'libre', 'libres'),
    bookings: (bookings) => many(bookings, 'reserva', 'reservas'),
    monthKeys: 'Pulsa un día, o usa las flechas e Intro, para abrirlo.',
    states: {
      available: 'libre',
      booked: 'reservada',
      blocked: 'bloqueada',
      'external calendar': 'calendario externo',
      closed: 'cerrada',
      loading: 'cargando',
    },
    cell: {
      booked: 'Reservada',
      blocked: 'Bloqueada',
      external: 'Calendario externo',
      skipped: 'Cambio de hora',
      repeated: 'Dos veces',
    },
    notes: {
      past: 'ya ha empezado',
      now: 'ya ha empezado, libre para clientes sin reserva',
      skipped: 'los relojes se adelantan: esta hora no existe este día',
      repeated: 'los relojes se atrasan: esta hora llega dos veces este día',
    },
    legend: [
      ['available', 'Libre'],
      ['booked', 'Reservada'],
      ['blocked', 'Bloqueada por ti'],
      ['external calendar', 'Calendario externo'],
      ['closed', 'Cerrada o pasada'],
    ],
    keys: 'Arrastra sobre horas libres, o usa las flechas, Mayús y flechas, e Intro.',
    selected: (range) => `de ${clock(range.start_hour)} a ${clock(range.end_hour)}, seleccionado`,
    tapped: (hour) => `Desde las ${clock(hour)}: toca el final`,
    thisHour: 'Solo esta hora',
  },

  hours: {
    title: 'Horas',
    tabs: 'Qué hacer con estas horas',
    book: 'Reservar',
    block: 'Bloquear',
    starts: 'Inicio',
    ends: 'Fin',
    chosen: 'Horas elegidas',
    taken: 'ocupada',
    free: 'libre',
    toHost: 'Ti',
    toPlatform: 'La plataforma',
    bookHours: 'Reservar horas',
    reasonHint: 'Solo para ti: ni los clientes ni los calendarios lo ven.',
    blockHours: 'Bloquear horas',
    begun: 'Estas horas ya han empezado: se pueden bloquear, pero no reservar.',
    untilDate: 'Hasta la fecha',
    untilHint: 'Las mismas horas todos los días hasta entonces.',
    untilBefore: 'Es anterior al primer día.',
    untilTooFar: 'Como mucho un año de una vez.',
    weekdays: 'Estos días',
    noDay: 'No has elegido ninguno de los días hasta entonces. Elige al menos uno.',
    onDays: (days) => many(days, 'día', 'días'),
    takenAt: (hours) => `ocupado: ${hours}`,
    blockedAt: (hours) => `bloqueado: ${hours}`,
    takenDays: (done, taken) =>
      `${done === 0 ? 'Nada bloqueado' : `Bloqueado en ${many(done, 'día', 'días')}`}. En ${many(taken, 'día', 'días')} había horas ocupadas:`,
    done: 'Listo',
    blockedDays: (range, days) => `${range} bloqueado en ${many(days, 'día', 'días')}.`,
    unblockedDays: (range, days) => `${range} desbloqueado en ${many(days, 'día', 'días')}.`,
    unblockHours: 'Desbloquear horas',
    youBlocked: 'Has bloqueado estas horas.',
    external: 'Un calendario externo ocupa esta hora. Aquí vuelve a estar libre cuando lo esté allí.',
    booked: (guest, range) => `${range} reservado para ${guest}.`,
    blocked: (range) => `${range} bloqueado.`,
    unblocked: (range) => `${range} desbloqueado.`,
    optionalEmail: 'Correo del cliente (opcional)',
    bookNow: 'Reservar ahora',
    now: (hour) => `Ahora, ${hour}`,
    closedNow: 'Este espacio está cerrado ahora.',
  },

  spaceRules: {
    daily: 'todos los días',
    allDay: 'todo el día',
    atLeast: (hours) => `${many(hours, 'hora', 'horas')} como mínimo`,
    atMost: (hours) => `${many(hours, 'hora', 'horas')} como máximo`,
    notice: (hours) => `con ${many(hours, 'hora', 'horas')} de antelación`,
    ahead: (days) => `hasta ${many(days, 'día', 'días')} antes`,
  },

  booking: {
    title: 'Reserva',
    when: 'Cuándo',
    space: 'Espacio',
    status: 'Estado',
    email: 'Correo',
    phone: 'Teléfono',
    price: 'Precio',
    payment: 'Pago',
    payBy: 'Pagar hasta',
    orCancelled: (when) => `${when}; si no, se cancela`,
    walkIn: 'Sin reserva',
    made: 'Hecha',
    cancelledAt: 'Cancelada',
    reason: 'Motivo',
    reasonRequired: 'Motivo (obligatorio)',
    reasonHint: 'Se guarda con la reserva. Sus horas quedan libres al momento.',
    cancelBooking: 'Cancelar la reserva',
    cancelled: (guest, when) => `La reserva de ${guest}, ${when}, está cancelada.`,
    allOfGuest: 'Todas las reservas de este cliente',
    statuses: { confirmed: 'Confirmada', completed: 'Completada', cancelled: 'Cancelada' },
    sources: { api: 'por la API', platform: 'en la plataforma' },
    payments: (mode, payment, booking) => {
      if (payment === 'refunded') return 'Pagado a la plataforma, devuelto';
      const cancelled = booking === 'cancelled';
      if (payment === 'confirmed')
        return cancelled ? 'Pagado a la plataforma, por devolver' : 'Pagado a la plataforma';
      if (cancelled) return 'Cancelada, nada que pagar';
      return mode === 'host_settled' ? 'Pagado a ti' : 'A la plataforma, aún sin pagar';
    },
  },

  move: {
    move: 'Mover',
    title: 'Mover a',
    newDate: 'Nueva fecha',
    from: 'Desde',
    to: 'Hasta',
    newSpace: 'Nuevo espacio',
    moveBooking: 'Mover la reserva',
    keep: 'Dejarla así',
    moved: (guest, when) => `La reserva de ${guest} pasa al ${when}.`,
    samePrice: (price) => `${price}, como antes`,
    newPrice: (was, is) => `${is} en vez de ${was}`,
    begun: 'Esta reserva ya ha empezado. No se puede mover ni cancelar.',
    paid: 'Esta reserva está pagada y no se puede mover. Cancélala y haz otra.',
  },

  bookings: {
    status: 'Estado',
    allStatuses: 'Todos',
    space: 'Espacio',
    from: 'Desde',
    to: 'Hasta',
    when: 'Cuándo',
    guest: 'Cliente',
    price: 'Precio',
    payment: 'Pago',
    findGuest: 'Buscar un cliente',
    findHint: 'Un nombre o un correo, dos letras o más.',
    findSince: (date) => `Busca desde el ${date}, un año atrás. Cambia «Desde» para buscar en otras fechas.`,
    none: 'No hay reservas así. Cambia las fechas o el estado para ver otras.',
    previousPage: 'Página anterior',
    nextPage: 'Página siguiente',
    page: (page, total) => `Página ${page}, ${total} en total`,
    moreThan: (total) => `más de ${total}`,
    exported: (number) => `${number} leídas hasta ahora`,
    newestFirst: 'Todas las reservas de este cliente, las más recientes primero.',
  },

  money: {
    earningsLead:
      'Estas cuatro cuentan todas tus reservas, las de la API y las de la plataforma: las pasadas como ganadas, las demás como próximas.',
    parts: {
      this_month: 'Este mes',
      last_month: 'Mes pasado',
      upcoming: 'Próximo',
      lifetime: 'Desde siempre',
    },
    netOf: (gross, commission) => `${gross} menos ${commission} de comisión`,
    countOf: (bookings, hours) => `${many(bookings, 'reserva', 'reservas')}, ${many(hours, 'hora', 'horas')}`,
    countCancelled: (bookings, cancelled) =>
      cancelled === 0 ? `${bookings}` : `${bookings}, y ${many(cancelled, 'cancelada', 'canceladas')}`,
    lastTwelve: 'Los últimos doce meses',
    byMonth: 'Ingresos por mes',
    chart: (month, amount) => `Lo que ganaste después de la comisión. Mejor mes: ${month}, ${amount}.`,
    emptyChart: 'Aún no has ganado nada en estos doce meses.',
    bySpace: 'Desde siempre, por espacio',
    report: 'Liquidación mensual',
    reportLead:
      'Aquí cuentan solo las reservas hechas por la API, en el mes en que tienen lugar, también las que aún están por llegar: es lo que liquidáis tú y la plataforma.',
    notAMonth: (example) => `Escribe un mes como 2027-03 o ${example}.`,
    totals: 'Totales',
    month: 'Mes',
    previousMonth: 'Mes anterior',
    nextMonth: 'Mes siguiente',
    space: 'Espacio',
    date: 'Fecha',
    paidTo: 'Pago',
    bookings: 'Reservas',
    hours: 'Horas',
    gross: 'Bruto',
    commission: 'Comisión',
    net: 'Neto',
    hostCollected: 'Cobrado por ti',
    platformCollected: 'Cobrado por la plataforma',
    states: { open: 'Aún abierto: estas cifras pueden cambiar.', closed: 'Cerrado' },
    lines: 'Reservas de la liquidación',
    noLines: (month) => `No hay reservas por la API en ${month}.`,
    owesYou: (amount, month) => `La plataforma te debe ${amount} al final de ${month}.`,
    youOwe: (amount, month) => `Debes a la plataforma ${amount} al final de ${month}.`,
    nobodyOwes: (month) => `No hay saldo pendiente al final de ${month}.`,
    refunds: (bookings, amount) =>
      bookings === 1
        ? `Un cliente canceló después de pagar: hay que devolver ${amount}.`
        : `${many(bookings, 'cliente', 'clientes')} cancelaron después de pagar: hay que devolver ${amount}.`,
    statement: {
      title: (month) => `Liquidación de ${month}`,
      closedOn: (date) => `Cerrado el ${date}. Los cambios posteriores son ajustes en un mes posterior.`,
      print: 'Imprimir',
      balance: 'Saldo',
      opening: 'Saldo inicial',
      earned: 'Ganado y pagado a la plataforma (después de la comisión)',
      commission: 'Comisión de las reservas que te pagaron a ti',
      adjustments: 'Ajustes',
      payouts: 'Pagos',
      closing: 'Saldo final',
      refunded: 'Devuelto a clientes',
      refunds: (bookings, amount) =>
        bookings === 1
          ? `Un cliente canceló después de pagar: al cerrar el mes quedaban por devolver ${amount}.`
          : `${many(bookings, 'cliente', 'clientes')} cancelaron después de pagar: al cerrar el mes quedaban por devolver ${amount}.`,
      recorded: 'Registrado',
      what: 'Concepto',
      bookingOf: 'Reserva de',
      bookingId: 'Reserva',
      reference: 'Referencia',
      amount: 'Importe',
      bySpace: 'Por espacio',
      toYou: 'De la plataforma a ti',
      byYou: 'De ti a la plataforma',
      kinds: {
        payment_confirmed: 'Pago posterior',
        payment_voided: 'Pago anulado',
        refunded: 'Devolución al cliente',
        late_booking: 'Reserva posterior',
      },
    },
  },

  spaces: {
    lead: 'Cambia un título o un precio aquí mismo y pulsa Intro. Un espacio inactivo no admite reservas.',
    title: 'Título',
    price: 'Precio por hora',
    active: 'Activo',
    save: 'Guardar',
    saved: (title) => `${title}: guardado.`,
    savedPrice: (title, amount) => `${title}: guardado, ${amount} por hora.`,
    isActive: (title) => `${title} está activo: los clientes pueden reservarlo.`,
    isInactive: (title) => `${title} está inactivo: no admite reservas.`,
    notAPrice: (example, currency) =>
      `Precio por hora: introduce un importe en ${currency}, por ejemplo ${example}.`,
    people: (number) => many(number, 'persona', 'personas'),
    openAllDay: 'Abierto todo el día',
    deactivate: 'Desactivar',
    deactivateWhat: 'Nadie puede reservarlo hasta que lo actives de nuevo. Las reservas ya hechas se quedan.',
    ahead: (bookings) =>
      bookings === 0
        ? 'No hay ninguna reserva por delante.'
        : bookings === 1
          ? 'Hay 1 reserva por delante, y se queda:'
          : `Hay ${many(bookings, '', 'reservas')} por delante, y se quedan:`,
    more: (number) => `y ${many(number, 'más', 'más')}`,
    details: 'Detalles',
    description: 'Descripción',
    everyDay: 'El mismo horario todos los días',
    byWeekday: 'Por día de la semana',
    opens: 'Abre',
    closes: 'Cierra',
    closed: 'Cerrado',
    hoursHint: 'Las reservas ya hechas se quedan, también donde el nuevo horario está cerrado.',
    rulesHint:
      'Un campo vacío significa que no hay tal regla. Las reglas valen para reservas nuevas y para cambios.',
    capacity: 'Capacidad',
    capacityHint: 'Cuántas personas caben. Déjalo vacío si no lo sabes.',
    notANumber: (label) => `${label}: introduce un número entero.`,
    amenities: 'Servicios',
    onePerLine: 'Uno por línea.',
    photos: 'Fotos',
    photosHint: 'Direcciones de imágenes, una por línea.',
    feed: 'Feed del calendario',
    feedWhat:
      'Muestra las reservas y los bloqueos de este espacio en el calendario de tu teléfono u ordenador.',
    feedEnds:
      'Recibes una dirección nueva. La antigua termina al momento: los calendarios que la usan dejan de actualizarse.',
    makeFeed: 'Crear una URL nueva',
    feedAddress: 'URL del feed',
    feedHow: [
      'Google Calendar: en un ordenador, elige el + junto a «Otros calendarios», luego «Desde URL», y pega la dirección.',
      'Calendario de Apple: elige «Archivo», «Nueva suscripción a calendario» (en un iPhone: «Calendarios», «Añadir calendario», «Añadir suscripción»), y pega la dirección.',
      'Outlook: elige «Agregar calendario», luego «Suscribirse desde la web», y pega la dirección.',
    ],
    calendars: 'Calendarios externos',
    calendarsLead:
      'Los eventos de un calendario externo bloquean aquí sus horas, para evitar reservas dobles.',
    noCalendars: 'Aún no hay calendarios externos.',
    calendarAddress: 'URL del calendario',
    calendarHint:
      'La dirección del calendario en formato iCal, que termina en .ics: en Google en «Configuración y uso compartido», en Apple en «Calendario público», en Outlook en «Publicar un calendario».',
    connect: 'Conectar',
    connected: 'Conectado. Importando ahora.',
    disconnect: 'Desconectar',
    disconnected: (address) => `${address} está desconectado: sus horas quedan libres.`,
    connectedCount: (number) => many(number, 'conectado', 'conectados'),
    failing: (number) => `${count(number)} con fallos`,
    calendarStates: {
      waiting: () => 'Conectado. Primera importación en curso.',
      ok: (when) => `Sincronizado: ${when}. Sus horas están bloqueadas aquí.`,
      warning: (when) => `Sincronizado: ${when}. Algunas entradas no se han podido leer.`,
      failing: (when) =>
        when === undefined
          ? 'Error de sincronización. Nunca se ha sincronizado.'
          : `Error de sincronización. Lo sincronizado el ${when} sigue bloqueado.`,
    },
  },

  webhooks: {
    add: 'Añadir webhook',
    lead: 'Envía eventos a tus propios sistemas en cuanto se producen.',
    none: 'Aún no hay webhooks. Añade uno para recibir reservas y cambios en tu URL.',
    url: 'URL',
    address: 'URL',
    description: 'Descripción',
    events: 'Eventos',
    state: 'Estado',
    actions: 'Acciones',
    deliveries: 'Últimas entregas',
    noDeliveries: 'Aún no se ha enviado nada',
    lastDeliveries: (url) => `Últimas entregas a ${url}`,
    active: 'Activo',
    paused: 'En pausa',
    pause: 'Pausar',
    resume: 'Reanudar',
    isPaused: 'En pausa: no se envía nada hasta que lo reanudes.',
    isResumed: 'Reanudado: los eventos pendientes se envían ahora.',
    edit: 'Editar',
    editWebhook: 'Editar webhook',
    newAddress: 'Los eventos pendientes se envían de inmediato a la URL nueva.',
    save: 'Guardar',
    saved: 'El webhook está guardado.',
    savedAddress: 'El webhook está guardado: los eventos pendientes se envían ahora a la URL nueva.',
    rotate: 'Rotar el secreto',
    rotateNow: 'Crear un secreto nuevo',
    rotateWhat:
      'Se crea un secreto nuevo y se muestra una sola vez. El antiguo sigue siendo válido durante 24 horas.',
    delete: 'Eliminar',
    deleteWebhook: 'Eliminar webhook',
    deleteWhat: (url) => `Ya no se enviará nada a ${url}. Esto no se puede deshacer.`,
    deleted: 'El webhook está eliminado.',
    secret: 'Secreto',
    signingSecret: 'Secreto de firma',
    verifyWith: 'Comprueba cada entrega antes de fiarte de ella:',
    snippetLabel: 'Cómo comprobar una entrega',
    disabled: (reason) =>
      ({
        receiver_gone: 'Desactivado: el punto de conexión devolvió 410 (Gone).',
        five_days_of_failures: 'Desactivado: todas las entregas han fallado durante cinco días.',
        operator: 'Desactivado por el operador.',
      })[reason] ?? `Desactivado: ${reason}`,
    inWords: (
      { status, attempts, response_status, error, last_attempt_at, next_attempt_at },
      moment,
      isActive,
    ) => {
      if (status === 'delivered') {
        const when = last_attempt_at === null ? '' : ` (${moment(last_attempt_at)})`;
        return `entregado${when}${response_status === null ? '' : `, respuesta ${response_status}`}`;
      }
      const waits = 'en cola hasta que el webhook vuelva a estar activo';
      if (attempts === 0) return isActive ? 'en cola' : waits;
      const answer =
        response_status === null ? (ERRORS[error ?? ''] ?? 'sin respuesta') : `respuesta ${response_status}`;
      if (status === 'failed')
        return `fallido, ${answer}, sin más intentos tras ${many(attempts, 'intento', 'intentos')}`;
      if (next_attempt_at === null) return `fallido, ${answer}, se está intentando de nuevo`;
      return `fallido, ${answer}, ${isActive ? `próximo intento: ${moment(next_attempt_at)}` : waits}`;
    },
  },

  keys: {
    lead: 'Claves para personas y programas que trabajan con tu cuenta, por ejemplo tu asesoría. Una clave se puede revocar en cualquier momento.',
    make: 'Crear una clave',
    makeKey: 'Crear clave',
    name: 'Nombre',
    nameHint: 'Quién o qué la usa, por ejemplo Asesoría.',
    may: 'Acceso',
    lastUsed: 'Último uso',
    never: 'Nunca',
    madeAt: 'Creada',
    actions: 'Acciones',
    expires: (when) => `Caduca: ${when}`,
    own: 'Esta consola',
    accessLabel: 'Acceso',
    access: {
      everything: 'Todo',
      readOnly: 'Solo lectura',
      moneyOnly: 'Solo finanzas',
      custom: 'Personalizado',
    },
    accessHints: {
      everything: 'Todo lo que tú puedes hacer, excepto las claves.',
      readOnly: 'Ve todo y no cambia nada.',
      moneyOnly: 'Ingresos, liquidación, reservas y espacios, solo lectura.',
      custom: 'Tú eliges cada permiso.',
    },
    scopes: 'Permisos',
    andKeys: (words) => `${words}, y claves`,
    newKey: 'Clave nueva',
    giveOn: 'Dásela solo a quien es para ella, de forma que nadie más pueda leerla.',
    revoke: 'Revocar',
    revokeKey: 'Revocar clave',
    revokeWhat: (name) =>
      `${name} deja de funcionar al instante y se cierran las sesiones iniciadas con ella. No se puede deshacer.`,
    revoked: (name) => `${name} está revocada.`,
  },
};

const ERRORS: Readonly<Record<string, string>> = {
  redirect: 'redirección',
  timeout: 'tiempo de espera agotado',
  connect_timeout: 'tiempo de conexión agotado',
  connection_refused: 'conexión rechazada',
  connection_reset: 'conexión interrumpida',
  dns_failure: 'servidor no encontrado',
  blocked_address: 'dirección no permitida',
  tls_error: 'sin conexión segura',
  invalid_response: 'respuesta no válida',
  too_large: 'respuesta demasiado grande',
  unreachable: 'no se puede alcanzar',
  network_error: 'error de red',
  internal_error: 'error por nuestra parte',
};

export default spanish;
