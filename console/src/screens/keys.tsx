import { useEffect, useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { write } from '../calls.ts';
import { moment } from '../format.ts';
import { ask } from '../own-calls.ts';
import { useKeys, type Key } from '../queries.ts';
import { session } from '../session.ts';
import { useStore } from '../store.ts';
import { strings } from '../strings.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Checks, Form, useFields } from '../ui/form.tsx';
import { useTitle } from '../ui/hooks.ts';
import { OnceDialog } from '../ui/once.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';

const t = strings.keys;
/** Never given on: only an invitation or the operator gives it. */
const KEYS_WRITE = 'keys:write';
const MONEY = ['settlement:read', 'earnings:read', 'bookings:read', 'spaces:read'];
const ACCESS = ['everything', 'readOnly', 'moneyOnly', 'custom'] as const;
type Access = (typeof ACCESS)[number];

/** Which scopes each choice gives, of those that the maker has. */
function choicesOf(own: readonly string[]): Record<Exclude<Access, 'custom'>, readonly string[]> {
  const given = own.filter((scope) => scope !== KEYS_WRITE);
  return {
    everything: given,
    readOnly: given.filter((scope) => scope.endsWith(':read')),
    moneyOnly: given.filter((scope) => MONEY.includes(scope)),
  };
}

export default function KeysScreen() {
  useTitle(strings.screens.keys);
  const { scopes, key: own } = useStore(session)!.account;
  const isAllowed = scopes.includes(KEYS_WRITE);
  const { data, error, refetch } = useKeys(isAllowed);
  const lacksScope = useLacks(KEYS_WRITE);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const count = data?.length ?? 0;
  const before = useRef(count);
  // The button of a key that was revoked has gone with its row.
  useEffect(() => {
    if (count < before.current) heading.current?.focus();
    before.current = count;
  }, [count]);
  return (
    <>
      <div className="row between">
        <h1 ref={heading} tabIndex={-1}>
          {strings.screens.keys}
        </h1>
        <Button kind="primary" disabled={lacksScope} onClick={() => setMaking(true)}>
          {t.make}
        </Button>
      </div>
      <p className="muted">{t.lead}</p>
      <MissingScope scope={KEYS_WRITE} />
      <Refusal error={isAllowed ? error : undefined} onRetry={() => void refetch()} />
      {isAllowed && data === undefined && !error && <div className="skeleton tall" />}
      {data !== undefined && (
        <div className="table-frame card">
          <table aria-label={strings.screens.keys} className="stacking keys-table">
            <thead>
              <tr>
                {[t.name, t.may, t.lastUsed, t.madeAt, t.actions].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map((key) => (
                <KeyRow key={key.id} record={key} isOwn={key.id === own.id} scopes={scopes} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && (
        <MakeDialog
          own={scopes}
          onClose={() => setMaking(false)}
          onMade={(text) => {
            setMaking(false);
            setMade(text);
          }}
        />
      )}
      {made !== undefined && (
        <OnceDialog title={t.newKey} label={t.newKey} value={made} onClose={() => setMade(undefined)}>
          <p className="muted">{t.giveOn}</p>
        </OnceDialog>
      )}
    </>
  );
}

function KeyRow({ record, isOwn, scopes }: { record: Key; isOwn: boolean; scopes: readonly string[] }) {
  const queries = useQueryClient();
  const lacksScope = useLacks(KEYS_WRITE);
  const [asking, setAsking] = useState(false);
  const revoke = async (): Promise<void> => {
    await write(() => ask('DELETE', `keys/${record.id}`));
    setAsking(false);
    toast.set({ message: t.revoked(record.name) });
    queries.setQueryData<Key[]>(['keys'], (all) => all?.filter(({ id }) => id !== record.id));
  };
  return (
    <tr>
      <th scope="row">
        <bdi>{record.name}</bdi>
        <code className="muted small description">
          {record.prefix}…{record.last4}
        </code>
      </th>
      <td>{accessOf(record.scopes, scopes)}</td>
      <td className="nowrap" data-label={t.lastUsed}>
        {record.last_used_at === null ? t.never : moment(record.last_used_at)}
      </td>
      <td className="nowrap" data-label={t.madeAt}>
        {moment(record.created_at)}
        {record.expires_at !== null && (
          <span className="muted small description">{t.expires(moment(record.expires_at))}</span>
        )}
      </td>
      <td>
        {isOwn ? (
          <span className="badge">{t.own}</span>
        ) : (
          <Button kind="danger" disabled={lacksScope} onClick={() => setAsking(true)}>
            {t.revoke}
          </Button>
        )}
        {asking && (
          <Ask title={t.revokeKey} button={t.revokeKey} work={revoke} onClose={() => setAsking(false)}>
            <p className="breakable">{t.revokeWhat(record.name)}</p>
          </Ask>
        )}
      </td>
    </tr>
  );
}

/** In words where one of the choices has the same scopes, otherwise by their names. */
function accessOf(scopes: readonly string[], own: readonly string[]): string {
  const given = scopes.filter((scope) => scope !== KEYS_WRITE);
  const choice = Object.entries(choicesOf(own)).find(
    ([, each]) => each.length === given.length && each.every((scope) => given.includes(scope)),
  );
  const words = choice === undefined ? given.join(', ') : t.access[choice[0] as Access];
  return scopes.includes(KEYS_WRITE) ? t.andKeys(words) : words;
}

function MakeDialog({
  own,
  onClose,
  onMade,
}: {
  own: readonly string[];
  onClose: () => void;
  onMade: (text: string) => void;
}) {
  const queries = useQueryClient();
  const id = useId();
  const choices = choicesOf(own);
  const form = useFields<{ name: string; access: Access; custom: readonly string[] }>({
    values: { name: '', access: 'everything', custom: [] },
    labels: { name: t.name, scopes: t.accessLabel },
    required: ['name'],
    send: async ({ name, access, custom }) => {
      const scopes = access === 'custom' ? custom : choices[access];
      const made = await write(() => ask<{ key: string }>('POST', 'keys', { name, scopes }));
      void queries.invalidateQueries({ queryKey: ['keys'] });
      onMade(made.key);
    },
  });
  const { access, custom } = form.values;
  return (
    <Dialog title={t.make} onClose={onClose}>
      <Form of={form} button={t.makeKey}>
        <TextField {...form.field('name')} autoComplete="off" autoFocus hint={t.nameHint} />
        <fieldset className="stack tight" role="radiogroup" aria-labelledby={`${id}-access`}>
          <legend id={`${id}-access`}>{t.accessLabel}</legend>
          {ACCESS.map((each) => (
            <div key={each}>
              <label className="check">
                <input
                  type="radio"
                  name="access"
                  checked={access === each}
                  disabled={each !== 'custom' && choices[each].length === 0}
                  aria-describedby={`${id}-${each}`}
                  onChange={() => form.set({ access: each })}
                />
                <span>{t.access[each]}</span>
              </label>
              {/* Outside of the label: a radio button is called by its name alone. */}
              <small id={`${id}-${each}`} className="hint">
                {t.accessHints[each]}
              </small>
            </div>
          ))}
        </fieldset>
        {access === 'custom' && (
          <Checks
            legend={t.scopes}
            all={choices.everything}
            chosen={custom}
            onChange={(scopes) => form.set({ custom: scopes })}
          />
        )}
      </Form>
    </Dialog>
  );
}
