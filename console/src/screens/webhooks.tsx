import { Fragment, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { EVENT_TYPES, type EventType, type Webhook } from '@hourkeep/client';
import { write } from '../calls.ts';
import { forgetWebhook, rememberWebhook } from '../changes.ts';
import { moment } from '../format.ts';
import { useWebhooks } from '../queries.ts';
import { strings } from '../strings.ts';
import { useAction } from '../ui/action.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Checks, Form, useFields } from '../ui/form.tsx';
import { useTitle } from '../ui/hooks.ts';
import { OnceDialog } from '../ui/once.tsx';
import { MissingScope, Refusal, useLacks } from '../ui/refusal.tsx';
import { toast } from '../ui/toast.tsx';

const t = strings.webhooks;
const SNIPPET = [
  "import { verifyWebhook } from '@hourkeep/client';",
  '',
  'const event = await verifyWebhook({',
  '  payload: await request.text(),',
  '  headers: request.headers,',
  '  secret: process.env.WEBHOOK_SECRET,',
  '});',
].join('\n');

export default function WebhooksScreen() {
  useTitle(strings.screens.webhooks);
  const { data, error, refetch } = useWebhooks();
  const lacksScope = useLacks('webhooks:write');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <div className="row between">
        <h1>{strings.screens.webhooks}</h1>
        <Button kind="primary" disabled={lacksScope} onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      </div>
      <p className="muted">{t.lead}</p>
      <MissingScope scope="webhooks:write" />
      <Refusal error={error} onRetry={() => void refetch()} />
      {data === undefined && !error && <div className="skeleton tall" />}
      {data?.length === 0 && <p className="empty">{t.none}</p>}
      {data !== undefined && data.length > 0 && (
        <div className="table-frame card">
          <table aria-label={strings.screens.webhooks} className="stacking webhooks-table">
            <thead>
              <tr>
                {[t.address, t.events, t.state, t.deliveries, t.actions].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} onSecret={setSecret} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {adding && (
        <WebhookDialog
          onClose={() => setAdding(false)}
          onSecret={(made) => {
            setAdding(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== undefined && (
        <OnceDialog
          title={t.secret}
          label={t.signingSecret}
          value={secret}
          onClose={() => setSecret(undefined)}
        >
          <p className="muted">{t.verifyWith}</p>
          <pre className="snippet" tabIndex={0} aria-label={t.snippetLabel}>
            {SNIPPET}
          </pre>
        </OnceDialog>
      )}
    </>
  );
}

function WebhookRow({ webhook, onSecret }: { webhook: Webhook; onSecret: (secret: string) => void }) {
  const queries = useQueryClient();
  const lacksScope = useLacks('webhooks:write');
  const [asking, setAsking] = useState<'edit' | 'rotate' | 'delete'>();
  const toggle = useAction(async () => {
    rememberWebhook(
      queries,
      await write((hk) => hk.webhooks.update(webhook.id, { is_active: !webhook.is_active })),
    );
    toast.set({ message: webhook.is_active ? t.isPaused : t.isResumed });
  });
  const rotate = async (): Promise<void> => {
    const changed = await write((hk) => hk.webhooks.update(webhook.id, { rotate_secret: true }));
    rememberWebhook(queries, changed);
    setAsking(undefined);
    if (changed.secret !== undefined) onSecret(changed.secret);
  };
  const remove = async (): Promise<void> => {
    await write((hk) => hk.webhooks.delete(webhook.id));
    setAsking(undefined);
    forgetWebhook(queries, webhook.id);
    toast.set({ message: t.deleted });
  };
  return (
    <tr>
      <th scope="row">
        <bdi className="address">
          {/* Broken at its slashes where it does not fit. */}
          {webhook.url.split('/').map((piece, index) => (
            <Fragment key={index}>
              {index > 0 && '/'}
              {index > 2 && <wbr />}
              {piece}
            </Fragment>
          ))}
        </bdi>
        {webhook.description !== null && (
          <span className="muted description">
            <bdi>{webhook.description}</bdi>
          </span>
        )}
      </th>
      <td>
        <ul className="small">
          {webhook.events.map((event) => (
            <li key={event}>{event}</li>
          ))}
        </ul>
      </td>
      <td>
        <span className="badge" data-status={webhook.is_active ? 'confirmed' : 'paused'}>
          {webhook.is_active ? t.active : t.paused}
        </span>
        {webhook.disabled_reason !== null && <p className="note">{t.disabled(webhook.disabled_reason)}</p>}
      </td>
      <td>
        <Deliveries webhook={webhook} />
      </td>
      <td>
        <div className="row row-actions">
          <Button disabled={lacksScope} busy={toggle.busy} onClick={toggle.run}>
            {webhook.is_active ? t.pause : t.resume}
          </Button>
          <Button disabled={lacksScope} onClick={() => setAsking('edit')}>
            {t.edit}
          </Button>
          <Button disabled={lacksScope} onClick={() => setAsking('rotate')}>
            {t.rotate}
          </Button>
          <Button kind="danger" disabled={lacksScope} onClick={() => setAsking('delete')}>
            {t.delete}
          </Button>
        </div>
        <Refusal error={toggle.error} />
        {asking === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setAsking(undefined)} />}
        {asking === 'rotate' && (
          <Ask title={t.rotate} button={t.rotateNow} work={rotate} onClose={() => setAsking(undefined)}>
            <p>{t.rotateWhat}</p>
          </Ask>
        )}
        {asking === 'delete' && (
          <Ask
            title={t.deleteWebhook}
            button={t.deleteWebhook}
            work={remove}
            onClose={() => setAsking(undefined)}
          >
            <p className="breakable">{t.deleteWhat(webhook.url)}</p>
          </Ask>
        )}
      </td>
    </tr>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { recent_deliveries: deliveries, url, is_active } = webhook;
  const [latest] = deliveries;
  if (latest === undefined) return <span className="muted">{t.noDeliveries}</span>;
  return (
    <details>
      <summary>
        <span className="delivery" data-status={latest.error === null ? latest.status : 'failed'}>
          {t.inWords(latest, moment, is_active)}
        </span>
      </summary>
      <ol className="stack tight deliveries" aria-label={t.lastDeliveries(url)}>
        {deliveries.map((delivery) => (
          <li key={delivery.event_id}>
            <code>{delivery.type}</code>{' '}
            <span className="delivery" data-status={delivery.error === null ? delivery.status : 'failed'}>
              {t.inWords(delivery, moment, is_active)}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** For a new one, or to change what an old one is sent and where. */
function WebhookDialog({
  webhook,
  onClose,
  onSecret,
}: {
  webhook?: Webhook;
  onClose: () => void;
  onSecret?: (secret: string) => void;
}) {
  const queries = useQueryClient();
  const form = useFields({
    values: {
      url: webhook?.url ?? '',
      description: webhook?.description ?? '',
      events: (webhook?.events ?? EVENT_TYPES) as readonly EventType[],
    },
    required: ['url'],
    send: async ({ url, description, events }) => {
      const input = { url, events: [...events], description: description || null };
      if (webhook === undefined) {
        const made = await write((hk) => hk.webhooks.create(input));
        rememberWebhook(queries, made);
        onSecret?.(made.secret);
        return;
      }
      rememberWebhook(queries, await write((hk) => hk.webhooks.update(webhook.id, input)));
      toast.set({ message: url === webhook.url ? t.saved : t.savedAddress });
      onClose();
    },
  });
  return (
    <Dialog title={webhook === undefined ? t.add : t.editWebhook} onClose={onClose}>
      <Form of={form} button={webhook === undefined ? t.add : t.save}>
        <TextField
          {...form.field('url')}
          type="url"
          placeholder="https://"
          autoComplete="off"
          hint={webhook && t.newAddress}
        />
        <TextField {...form.field('description')} autoComplete="off" placeholder={strings.optional} />
        <Checks
          legend={t.events}
          all={EVENT_TYPES}
          chosen={form.values.events}
          onChange={(events) => form.set({ events })}
        />
      </Form>
    </Dialog>
  );
}
