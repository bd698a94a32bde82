import type { Dashboard } from '@grafana/schema';

/** A type as JSON has it: where it names an enumeration, a text that is one of its values. */
type Json<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;

/** A dashboard as Grafana's own types have it. */
export type DashboardFile = Json<Dashboard>;
