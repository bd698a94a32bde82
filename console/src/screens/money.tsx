import { useState, type ReactNode } from 'react';
import type { Earnings, EarningsSums, SettlementReport } from '@hourkeep/client';
import { REPORT_COLUMNS, toCsv } from '../csv.ts';
import { addMonths, isMonth } from '../dates.ts';
import { download } from '../download.ts';
import {
  count,
  hourRange,
  mediumDate,
  money,
  monthAndYear,
  plainHours,
  plainMoney,
  shortMonth,
  shortMonthAndYear,
} from '../format.ts';
import { useEarnings, useReport } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { strings } from '../strings.ts';
import { TextField } from '../ui/field.tsx';
import { useTitle } from '../ui/hooks.ts';
import { Refusal } from '../ui/refusal.tsx';

const t = strings.money;

export default function MoneyScreen() {
  useTitle(strings.screens.money);
  const { data, error, refetch } = useEarnings();
  return (
    <>
      <h1>{strings.screens.money}</h1>
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && <div className="skeleton tall" />}
      {data !== undefined && <EarningsPart earnings={data} />}
      <Report present={data?.by_month.at(-1)?.month} />
    </>
  );
}

function EarningsPart({ earnings }: { earnings: Earnings }) {
  const { currency } = earnings;
  return (
    <>
      <p className="muted">{t.earningsLead}</p>
      <div className="stats">
        {(['this_month', 'last_month', 'upcoming', 'lifetime'] as const).map((part) => (
          <Sums key={part} title={t.parts[part]} sums={earnings[part]} currency={currency} />
        ))}
      </div>
      <section aria-labelledby="by-month">
        <h2 id="by-month">{t.lastTwelve}</h2>
        <div className="chart-and-table card">
          <Chart earnings={earnings} />
          <MoneyTable
            label={t.byMonth}
            first={t.month}
            rows={earnings.by_month
              .toReversed()
              .map((sums) => ({ key: sums.month, name: shortMonthAndYear(sums.month), sums }))}
            currency={currency}
          />
        </div>
      </section>
      <section aria-labelledby="by-space">
        <h2 id="by-space">{t.bySpace}</h2>
        {earnings.by_space.length === 0 ? (
          <p className="empty">{strings.noSpaces}</p>
        ) : (
          <div className="card">
            <MoneyTable
              label={t.bySpace}
              first={t.space}
              rows={earnings.by_space.map((sums) => ({ key: sums.space_id, name: sums.title, sums }))}
              currency={currency}
            />
          </div>
        )}
      </section>
    </>
  );
}

function Sums({ title, sums, currency }: { title: string; sums: EarningsSums; currency: string }) {
  return (
    <section className="card stat" aria-label={title}>
      <h2>{title}</h2>
      <p className="figure">{money(sums.net, currency)}</p>
      <p className="muted">{t.netOf(money(sums.gross, currency), money(sums.commission, currency))}</p>
      <p className="muted">{t.countOf(sums.bookings, sums.hours)}</p>
    </section>
  );
}

const [WIDTH, HEIGHT, FLOOR] = [480, 200, 176];

/** A picture only: every number of it stands in the table beside it. */
function Chart({ earnings }: { earnings: Earnings }) {
  const { by_month: months, currency } = earnings;
  const most = Math.max(...months.map(({ net }) => net), 0);
  const step = WIDTH / months.length;
  const best = months.find(({ net }) => net === most);
  const summary =
    most > 0 && best ? t.chart(monthAndYear(best.month), money(best.net, currency)) : t.emptyChart;
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t.byMonth} aria-description={summary}>
        <line x1="0" x2={WIDTH} y1={FLOOR} y2={FLOOR} />
        {months.map(({ month, net }, index) => {
          const height = most > 0 ? Math.max(net > 0 ? 2 : 0, (net / most) * (FLOOR - 12)) : 0;
          return (
            <g key={month} data-now={index === months.length - 1 || undefined}>
              <rect x={index * step + 5} width={step - 10} y={FLOOR - height} height={height} rx="3">
                <title>{`${monthAndYear(month)}: ${money(net, currency)}`}</title>
              </rect>
              <text x={index * step + step / 2} y={HEIGHT - 6}>
                {shortMonth(month)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption className="muted">{summary}</figcaption>
    </figure>
  );
}

interface MoneyRow {
  key: string;
  name: string;
  sums: EarningsSums;
}

function MoneyTable(props: { label: string; first: string; rows: MoneyRow[]; currency: string }) {
  return (
    <div className="table-frame dense" tabIndex={0} role="group" aria-label={props.label}>
      <table aria-label={props.label} className="stacking">
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
function Numbers({ bookings, gross, commission, net, currency }: Amounts) {
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

function Report({ present }: { present: string | undefined }) {
  const { query } = usePlace();
  const shown = query.get('month') ?? present ?? '';
  const [typed, setTyped] = useState<string>();
  const month = isMonth(shown) ? shown : undefined;
  const { data, error, refetch } = useReport(month);
  const show = (next: string): void => {
    setTyped(undefined);
    go(hrefOf('money', { month: next }), { replace: true });
  };
  const type = (text: string): void => {
    setTyped(text);
    const next = readMonth(text);
    if (next !== undefined && next !== month) go(hrefOf('money', { month: next }), { replace: true });
  };
  return (
    <section aria-labelledby="report">
      <h2 id="report">{t.report}</h2>
      <p className="muted">{t.reportLead}</p>
      <div className="toolbar">
        <TextField
          label={t.month}
          value={typed ?? shown}
          onChange={type}
          onBlur={() => typed !== undefined && readMonth(typed) && setTyped(undefined)}
          placeholder="YYYY-MM"
          autoComplete="off"
          size={14}
          error={typed === undefined || readMonth(typed) ? undefined : t.notAMonth(monthAndYear('2027-03'))}
        />
        <div className="pager">
          <button
            type="button"
            className="button"
            disabled={!month}
            onClick={() => show(addMonths(month!, -1))}
          >
            {t.previousMonth}
          </button>
          <button
            type="button"
            className="button"
            disabled={!month}
            onClick={() => show(addMonths(month!, 1))}
          >
            {t.nextMonth}
          </button>
        </div>
        <button type="button" className="button" disabled={!data} onClick={() => data && exportReport(data)}>
          {strings.exportCsv}
        </button>
      </div>
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && month !== undefined && <div className="skeleton tall" />}
      {data !== undefined && !error && <ReportBody key={data.month} report={data} />}
    </section>
  );
}

function ReportBody({ report }: { report: SettlementReport }) {
  const { totals, currency, refunds_pending: refunds } = report;
  const amount = (value: number): string => money(value, currency);
  return (
    <>
      <p className="verdict">{verdictOf(report)}</p>
      {refunds.bookings > 0 && (
        <p className="note">{t.refunds(refunds.bookings, plainMoney(refunds.amount, currency))}</p>
      )}
      <dl className="facts columns card" aria-label={t.totals}>
        <Total name={t.gross}>{amount(totals.gross)}</Total>
        <Total name={t.commission}>{amount(totals.commission)}</Total>
        <Total name={t.net}>{amount(totals.net)}</Total>
        <Total name={t.hostCollected}>{amount(totals.host_collected)}</Total>
        <Total name={t.platformCollected}>{amount(totals.platform_collected)}</Total>
        <Total name={t.commissionDue}>{amount(totals.commission_due)}</Total>
        <Total name={t.payoutDue}>{amount(totals.payout_due)}</Total>
        <Total name={t.bookings}>{t.countCancelled(totals.bookings, totals.cancelled)}</Total>
        <Total name={t.hours}>{count(totals.hours)}</Total>
        <Total name={t.state}>{t.states[report.status]}</Total>
      </dl>
      {report.lines.length === 0 ? (
        <p className="empty">{t.noLines(monthAndYear(report.month))}</p>
      ) : (
        <Lines report={report} />
      )}
    </>
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

function verdictOf({ totals: { balance }, currency, month }: SettlementReport): string {
  const sum = plainMoney(Math.abs(balance), currency);
  const when = monthAndYear(month);
  return balance > 0 ? t.owesYou(sum, when) : balance < 0 ? t.youOwe(sum, when) : t.nobodyOwes(when);
}

const LINES_PER_PAGE = 50;

function Lines({ report: { lines, currency } }: { report: SettlementReport }) {
  const [page, setPage] = useState(0);
  const pages = Math.ceil(lines.length / LINES_PER_PAGE);
  const first = page * LINES_PER_PAGE;
  return (
    <>
      <div className="table-frame card" tabIndex={0} role="group" aria-label={t.lines}>
        <table aria-label={t.lines} className="stacking">
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
            {lines.slice(first, first + LINES_PER_PAGE).map((line) => (
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
        <div className="pager">
          <button type="button" className="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {strings.bookings.previousPage}
          </button>
          <span className="muted" aria-live="polite">
            {strings.bookings.page(page + 1, count(lines.length))}
          </span>
          <button
            type="button"
            className="button"
            disabled={page === pages - 1}
            onClick={() => setPage(page + 1)}
          >
            {strings.bookings.nextPage}
          </button>
        </div>
      )}
    </>
  );
}

/** 2027-03, 03/2027, 3.2027, or the month's name and the year in the language of the page. */
function readMonth(text: string): string | undefined {
  const wanted = plain(text);
  if (isMonth(wanted)) return wanted;
  const [, month, year] = /^(\d{1,2})[./ -]+(\d{4})$/.exec(wanted) ?? [];
  if (month !== undefined) return ofYear(year!).find((each) => Number(each.slice(5)) === Number(month));
  const [named = ''] = /\d{4}/.exec(wanted) ?? [];
  return ofYear(named).find((each) =>
    [monthAndYear(each), `${shortMonth(each)} ${named}`].some((name) => plain(name) === wanted),
  );
}

const ofYear = (year: string): string[] =>
  year === ''
    ? []
    : Array.from({ length: 12 }, (_, index) => `${year}-${String(index + 1).padStart(2, '0')}`);

const plain = (text: string): string =>
  text
    .trim()
    .toLocaleLowerCase()
    .replaceAll(/[\s.]+/g, ' ');

function exportReport({ month, currency, lines }: SettlementReport): void {
  const rows = lines.map((line) => [
    line.date,
    plainHours(line),
    line.hours,
    line.space_title,
    line.status,
    line.settlement_mode,
    line.payment_status,
    line.gross,
    line.commission_rate,
    line.commission,
    line.net,
    currency,
    line.booking_id,
  ]);
  download(`settlement-${month}.csv`, toCsv([REPORT_COLUMNS, ...rows]));
}
