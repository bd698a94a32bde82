-- oldest: 0.1.0
-- Subscriptions whose receivers fail, which the metrics count.

create index concurrently webhooks_failing on webhooks (host_id) where failing_since is not null;
