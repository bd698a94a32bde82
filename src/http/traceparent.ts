/** Version, trace, span and flags of W3C Trace Context. A later version may have more after them, behind a hyphen. */
const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * What is sent on of a caller's `traceparent`: as version 00, which everybody reads. Undefined where there is none or it is
 * malformed: then there is no trace, and none is begun.
 */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, trace, span, flags, more] = FORM.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(trace!) || /^0+$/.test(span!)) return undefined;
  return `00-${trace}-${span}-${flags}`;
}

export function traceIdOf(header: string | string[] | undefined): string | undefined {
  return readTraceparent(header)?.split('-')[1];
}
