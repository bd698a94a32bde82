import type { EarningsSums } from '@hourkeep/client';
import { count, money } from '../format.ts';
import { strings } from '../strings.ts';

const t = strings.money;

interface MoneyRow {
  key: string;
  name: string;
  sums: EarningsSums;
}

/** Sums of bookings, a row for each month or space. */
export function MoneyTable(props: { label: string; first: string; rows: MoneyRow[]; currency: string }) {
  return (
    <div className="table-frame dense" tabIndex={0} role="group" aria-label={props.label}>
      <table aria-label={props.label} className="stacking amounts">
        <thead>
          <tr>
            <th scope="col">{props.first}</th>
            {[t.bookings, t.gross, t.commission, t.net].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(({ key, name, sums }) => (
            <tr key={key}>
              <th scope="row" className={props.first === t.month ? 'nowrap' : undefined}>
                <bdi>{name}</bdi>
              </th>
              <Numbers {...sums} currency={props.currency} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Amounts {
  bookings?: number;
  gross: number;
  commission: number;
  net: number;
  currency: string;
}

/** On a narrow screen each has its column's name in front. */
export function Numbers({ bookings, gross, commission, net, currency }: Amounts) {
  return (
    <>
      {bookings !== undefined && (
        <td className="number" data-label={t.bookings}>
          {count(bookings)}
        </td>
      )}
      <td className="number" data-label={t.gross}>
        {money(gross, currency)}
      </td>
      <td className="number" data-label={t.commission}>
        {money(commission, currency)}
      </td>
      <td className="number" data-label={t.net}>
        {money(net, currency)}
      </td>
    </>
  );
}
