import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { EVENT_TYPES } from '../events/events.ts';

onOneEngine('the OpenAPI document', (engine) => {
  const world = useWorld(engine);

  test('describes the six deliveries, each with its headers, its schema and an example of its type', async () => {
    const document = JSON.parse((await world.call('GET', '/api-openapi')).text);
    assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES]);
    for (const [type, { post }] of Object.entries(document.webhooks as object)) {
      const names = post.parameters.map((parameter: { name: string }) => parameter.name);
      assert.deepEqual(names, ['webhook-id', 'webhook-timestamp', 'webhook-signature']);
      const { schema, example } = post.requestBody.content['application/json'];
      assert.equal(example.type, type);
      const name = schema.$ref.replace('#/components/schemas/', '');
      assert.equal(document.components.schemas[name].properties.type.const, type);
      assert.deepEqual(Object.keys(example), document.components.schemas[name].required);
    }
  });
});
