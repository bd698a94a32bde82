-- Counts the changes of a space's blocks. Whoever takes the next number holds the lock to change them.
alter table spaces add column block_revision integer not null default 0;

-- The space's count and the moment when a block was last changed: what calendar programs compare.
alter table blocks add column revision integer not null default 0;
alter table blocks add column changed_at bigint not null default 0;
update blocks set changed_at = created_at;
