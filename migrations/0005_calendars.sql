-- What the last polls of a foreign calendar found, and who polls it now.

-- The answer's own marks, sent back so that an unchanged calendar is not sent again.
alter table calendars add column etag text;
alter table calendars add column last_modified text;
-- The space's date of the last full import: the window moves on with it, so each day begins with a full one.
alter table calendars add column imported_on text;
alter table calendars add column last_polled_at bigint;
alter table calendars add column last_success_at bigint;
alter table calendars add column last_error text;
-- In a row.
alter table calendars add column failures integer not null default 0;
-- Scheduled polls in a row that found a calendar with hours suddenly empty, and when the first of them was.
alter table calendars add column empty_polls integer not null default 0;
alter table calendars add column empty_since bigint;
alter table calendars add column next_poll_at bigint not null default 0;
-- Who holds the token may poll, until then; after that anyone may take over.
alter table calendars add column lease_token text;
alter table calendars add column lease_until bigint;

create index calendars_due on calendars (next_poll_at);
create index calendars_by_space on calendars (space_id);
