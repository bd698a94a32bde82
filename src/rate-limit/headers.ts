import type { FastifyReply } from 'fastify';
import type { RateDecision } from './rule.ts';

/** The two vocabularies clients look for: the IETF draft's fields and the older X- ones. */
export function setRateHeaders(reply: FastifyReply, rate: RateDecision, now: number): number {
  const secondsLeft = Math.max(1, Math.ceil((rate.resetsAt - now) / 1000));
  reply.headers({
    'ratelimit-policy': `"default";q=${rate.limit};w=60`,
    ratelimit: `"default";r=${rate.remaining};t=${secondsLeft}`,
    'x-ratelimit-limit': rate.limit,
    'x-ratelimit-remaining': rate.remaining,
    'x-ratelimit-reset': Math.ceil(rate.resetsAt / 1000),
  });
  return secondsLeft;
}
