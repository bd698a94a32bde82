import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { SettlementReport } from '@hourkeep/client';
import { count, dayOf, hourRange, mediumDate, money, monthAndYear, paddedAmount } from '../format.ts';
import { strings } from '../strings.ts';
import { MoneyTable, Numbers } from '../ui/money-table.tsx';
import { Pager } from '../ui/pager.tsx';

const t = strings.money;
const words = t.statement;

/** What host and platform owe each other for a month. It is all that the screen prints. */
export function Statement({ report }: { report: SettlementReport }) {
  const { totals, currency, month, refunds_pending: refunds } = report;
  const amount = (value: number): string => money(value, currency);
  const paidOut = Number(
    paddedAmount(
      report.payouts.reduce((sum, payout) => sum + payout.amount, 0),
      currency,
    ),
  );
  return (
    <article className="stack statement" aria-labelledby="statement">
      <h3 id="statement">{words.title(monthAndYear(month))}</h3>
      <p className="muted">
        {report.closed_at !== null ? words.closedOn(dayOf(report.closed_at)) : t.states[report.status]}
      </p>
      <p className="verdict">{verdictOf(report)}</p>
      {refunds.bookings > 0 && (
        <p className="note">
          {(report.status === 'closed' ? words.refunds : t.refunds)(refunds.bookings, amount(refunds.amount))}
        </p>
      )}
      <div className="sums">
        <div className="card">
          <table aria-label={words.balance}>
            <tbody>
              <Entry name={words.opening}>{amount(report.opening_balance)}</Entry>
              <Entry name={words.earned}>{amount(totals.payout_due)}</Entry>
              <Entry name={words.commission}>{amount(-totals.commission_due || 0)}</Entry>
              <Entry name={words.adjustments}>{amount(totals.adjustments)}</Entry>
              <Entry name={words.payouts}>{amount(-paidOut || 0)}</Entry>
            </tbody>
            <tfoot>
              <Entry name={words.closing}>{amount(report.closing_balance)}</Entry>
            </tfoot>
          </table>
        </div>
        <dl className="card padded facts columns" aria-label={t.totals}>
          <Total name={t.gross}>{amount(totals.gross)}</Total>
          <Total name={t.commission}>{amount(totals.commission)}</Total>
          <Total name={t.net}>{amount(totals.net)}</Total>
          <Total name={t.hostCollected}>{amount(totals.host_collected)}</Total>
          <Total name={t.platformCollected}>{amount(totals.platform_collected)}</Total>
          {totals.refunded > 0 && <Total name={words.refunded}>{amount(totals.refunded)}</Total>}
          <Total name={t.bookings}>{t.countCancelled(totals.bookings, totals.cancelled)}</Total>
          <Total name={t.hours}>{count(totals.hours)}</Total>
        </dl>
      </div>
      {report.adjustments.length > 0 && (
        <Later
          label={words.adjustments}
          columns={[words.recorded, words.what, words.bookingOf, words.bookingId]}
          rows={report.adjustments.map((each, index) => ({
            key: `${index}`,
            cells: [
              dayOf(each.recorded_at),
              words.kinds[each.kind],
              monthAndYear(each.month),
              <code>{each.booking_id}</code>,
            ],
            amount: amount(each.payout_due - each.commission_due),
          }))}
        />
      )}
      {report.payouts.length > 0 && (
        <Later
          label={words.payouts}
          columns={[t.date, words.what, words.reference]}
          rows={report.payouts.map((each) => ({
            key: each.id,
            cells: [
              mediumDate(each.paid_on),
              each.amount > 0 ? words.toYou : words.byYou,
              <bdi>{each.reference}</bdi>,
            ],
            amount: amount(-each.amount),
          }))}
        />
      )}
      {report.by_space.length > 1 && (
        <section aria-labelledby="spaces-of-month">
          <h4 id="spaces-of-month">{words.bySpace}</h4>
          <div className="card">
            <MoneyTable
              label={words.bySpace}
              first={t.space}
              rows={report.by_space.map((sums) => ({ key: sums.space_id, name: sums.title, sums }))}
              currency={currency}
            />
          </div>
        </section>
      )}
      {report.lines.length === 0 ? (
        <p className="empty">{t.noLines(monthAndYear(month))}</p>
      ) : (
        <Lines report={report} />
      )}
    </article>
  );
}

function verdictOf({ closing_balance: balance, currency, month }: SettlementReport): string {
  const sum = money(Math.abs(balance), currency);
  const when = monthAndYear(month);
  return balance > 0 ? t.owesYou(sum, when) : balance < 0 ? t.youOwe(sum, when) : t.nobodyOwes(when);
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="number">{children}</td>
    </tr>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface LaterRow {
  key: string;
  cells: ReactNode[];
  amount: string;
}

/** What is not a booking of the month: adjustments and payouts. */
function Later({ label, columns, rows }: { label: string; columns: string[]; rows: LaterRow[] }) {
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      <div className="table-frame card" tabIndex={0} role="group" aria-label={label}>
        <table aria-label={label} className="stacking amounts">
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col" className="number">
                {words.amount}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells: [first, ...others], amount }) => (
              <tr key={key}>
                <th scope="row" className="nowrap">
                  {first}
                </th>
                {others.map((cell, index) => (
                  <td key={columns[index + 1]} data-label={columns[index + 1]}>
                    {cell}
                  </td>
                ))}
                <td className="number" data-label={words.amount}>
                  {amount}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const LINES_PER_PAGE = 50;

function Lines({ report: { lines, currency } }: { report: SettlementReport }) {
  const [page, setPage] = useState(0);
  const isPrinted = usePrinting();
  const pages = Math.ceil(lines.length / LINES_PER_PAGE);
  const first = page * LINES_PER_PAGE;
  return (
    <section aria-label={t.lines}>
      <h4>{t.lines}</h4>
      <div className="table-frame card" tabIndex={0} role="group" aria-label={t.lines}>
        <table aria-label={t.lines} className="stacking amounts">
          <thead>
            <tr>
              {[t.date, t.space, t.paidTo].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {[t.gross, t.commission, t.net].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isPrinted ? lines : lines.slice(first, first + LINES_PER_PAGE)).map((line) => (
              <tr key={line.booking_id}>
                <th scope="row" className="nowrap">
                  {mediumDate(line.date)} <span className="hours">{hourRange(line)}</span>
                </th>
                <td>
                  <bdi>{line.space_title}</bdi>
                </td>
                <td>{strings.booking.payments(line.settlement_mode, line.payment_status, line.status)}</td>
                <Numbers {...line} currency={currency} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <Pager
          previous={page > 0 ? () => setPage(page - 1) : undefined}
          next={page < pages - 1 ? () => setPage(page + 1) : undefined}
        >
          {strings.bookings.page(page + 1, count(lines.length))}
        </Pager>
      )}
    </section>
  );
}

/** On paper all lines are there, whatever page the screen shows. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser draws the paper as soon as the listeners have returned.
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
