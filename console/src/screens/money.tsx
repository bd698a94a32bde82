import { useState } from 'react';
import type { Earnings, EarningsSums } from '@hourkeep/client';
import { statementRows, toCsv } from '../csv.ts';
import { addMonths, isMonth } from '../dates.ts';
import { download } from '../download.ts';
import { money, monthAndYear, shortAmount, shortMonth, shortMonthAndYear } from '../format.ts';
import { useEarnings, useReport } from '../queries.ts';
import { go, hrefOf, usePlace } from '../router.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useTitle } from '../ui/hooks.ts';
import { MoneyTable } from '../ui/money-table.tsx';
import { Refusal } from '../ui/refusal.tsx';
import { Statement } from './statement.tsx';

const t = strings.money;

export default function MoneyScreen() {
  useTitle(strings.screens.money);
  const { data, error, refetch } = useEarnings();
  return (
    <>
      <h1 className="not-printed">{strings.screens.money}</h1>
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
    <div className="stack not-printed">
      <p className="muted">{t.earningsLead}</p>
      <div className="stats">
        {(['this_month', 'last_month', 'upcoming', 'lifetime'] as const).map((part) => (
          <Sums key={part} title={t.parts[part]} sums={earnings[part]} currency={currency} />
        ))}
      </div>
      <section aria-labelledby="by-month">
        <h2 id="by-month">{t.lastTwelve}</h2>
        <div className="card padded chart-and-table">
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
    </div>
  );
}

function Sums({ title, sums, currency }: { title: string; sums: EarningsSums; currency: string }) {
  return (
    <section className="card padded stat" aria-label={title}>
      <h2>{title}</h2>
      <p className="figure">{money(sums.net, currency)}</p>
      <p className="muted">{t.netOf(money(sums.gross, currency), money(sums.commission, currency))}</p>
      <p className="muted">{t.countOf(sums.bookings, sums.hours)}</p>
    </section>
  );
}

const [WIDTH, HEIGHT, FLOOR, TOP] = [600, 220, 196, 24];

/** A bar and its amount for each month; to the cent they stand in the table beside it. */
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
          const height = most > 0 ? Math.max(net > 0 ? 2 : 0, (net / most) * (FLOOR - TOP)) : 0;
          return (
            <g key={month} data-now={index === months.length - 1 || undefined}>
              <rect x={index * step + 5} width={step - 10} y={FLOOR - height} height={height} rx="3">
                <title>{`${monthAndYear(month)}: ${money(net, currency)}`}</title>
              </rect>
              {net > 0 && (
                <text className="amount" x={index * step + step / 2} y={FLOOR - height - 6}>
                  {shortAmount(net)}
                </text>
              )}
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
      <h2 id="report" className="not-printed">
        {t.report}
      </h2>
      <p className="muted not-printed">{t.reportLead}</p>
      <div className="toolbar not-printed">
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
          <Button disabled={!month} onClick={() => show(addMonths(month!, -1))}>
            {t.previousMonth}
          </Button>
          <Button disabled={!month} onClick={() => show(addMonths(month!, 1))}>
            {t.nextMonth}
          </Button>
        </div>
        <Button
          disabled={!data}
          onClick={() => data && download(`settlement-${data.month}.csv`, toCsv(statementRows(data)))}
        >
          {strings.exportCsv}
        </Button>
        <Button disabled={!data} onClick={() => window.print()}>
          {t.statement.print}
        </Button>
      </div>
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && month !== undefined && <div className="skeleton tall" />}
      {data !== undefined && !error && <Statement key={data.month} report={data} />}
    </section>
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
