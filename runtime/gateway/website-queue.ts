import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairQueue, type QueueKey } from '#runtime/processes/fair-queue';
import { hasBody } from './relay';
import type { Credentials } from './signed-cookies';

/** How many requests the website works on at once, until their responses begin. */
export const MAX = {
  /** Pages and files for strangers. */
  pages: 8,
  /** Their forms, which mostly wait for the host, where passwords are hashed one at a time. */
  forms: 16,
  /** Pages of codes. */
  visits: 8,
  /** Of one account: what a browser asks for with a page. */
  ofAccount: 16,
};
/** As many of a network as the gateway begins at once; together half as many as it has connections. */
export const WAITING = { perOwner: 256, perNetwork: 256, total: 1_000 };
const WAIT_MS = 10_000;
const LANES = { known: 0, stranger: 1 };

/** Who sends a request to the website. */
export interface Sender extends Credentials {
  /** Of the IP address, narrowest first. */
  networks: readonly string[];
  /** Whether it asks for the page of a code. */
  isVisit: boolean;
}

/** Gives the place back; more than once does no harm. */
export type Leave = () => void;

/**
 * Keeps the website free for customers, who have places of their own. Strangers get a limited number, in turn by network,
 * except that browsers come first that somebody has signed in with.
 */
export class WebsiteQueue {
  readonly #ofAccounts = new Line(MAX.ofAccount, ({ owner }) => owner);
  readonly #pages = new Line(MAX.pages, () => 'all');
  readonly #forms = new Line(MAX.forms, () => 'all');
  readonly #visits = new Line(MAX.visits, () => 'all');

  /**
   * Resolves when it is the request's turn; with null if it is refused, because too many wait or it has waited for too
   * long, or if its client has left. Takes no place while a client sends a body, however slowly.
   */
  async enter(request: IncomingMessage, response: ServerResponse, sender: Sender): Promise<Leave | null> {
    const line = this.#lineOf(request, sender);
    const key = keyOf(sender);
    if (!hasBody(request) || (await isArrived(request))) return line.enter(key, response);
    return response.destroyed ? null : enterLater(line, key, request);
  }

  #lineOf({ method }: IncomingMessage, { account, isVisit }: Sender): Line {
    if (account !== null) return this.#ofAccounts;
    if (isVisit) return this.#visits;
    return method === 'GET' || method === 'HEAD' ? this.#pages : this.#forms;
  }
}

interface Waiting extends QueueKey {
  begin: () => void;
  refuse: () => void;
}

/** A limited number of places, and those who wait for one. */
class Line {
  readonly #most: number;
  readonly #groupOf: (key: QueueKey) => string;
  readonly #taken = new Map<string, number>();
  readonly #queue = new FairQueue<Waiting>(WAITING);

  /** There are `most` places for each group. */
  constructor(most: number, groupOf: (key: QueueKey) => string) {
    this.#most = most;
    this.#groupOf = groupOf;
  }

  enter(key: QueueKey, response: ServerResponse): Promise<Leave | null> {
    if (this.#isFree(this.#groupOf(key))) return Promise.resolve(this.take(key));
    if (response.destroyed || this.#queue.reachedLimit(key)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const finish = (leave: Leave | null) => {
        clearTimeout(timer);
        response.off('close', giveUp);
        resolve(leave);
      };
      const waiting = { ...key, begin: () => finish(this.take(key)), refuse: () => finish(null) };
      const giveUp = () => {
        if (this.#queue.remove(waiting)) finish(null);
      };
      const timer = setTimeout(giveUp, WAIT_MS);
      response.once('close', giveUp);
      this.#queue.add(waiting)?.refuse();
    });
  }

  /** Takes a place without a turn, even if none is free. */
  take(key: QueueKey): Leave {
    const group = this.#groupOf(key);
    this.#taken.set(group, (this.#taken.get(group) ?? 0) + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#taken.get(group) ?? 0) - 1;
      if (left > 0) this.#taken.set(group, left);
      else this.#taken.delete(group);
      if (this.#isFree(group)) this.#queue.take((waiting) => this.#groupOf(waiting) === group)?.begin();
    };
  }

  #isFree(group: string): boolean {
    return (this.#taken.get(group) ?? 0) < this.#most;
  }
}

/** Accounts are not limited by network: they may share one with an attacker. */
function keyOf({ account, isKnownDevice, networks }: Sender): QueueKey {
  if (account !== null) return { lane: LANES.known, owner: account, networks: [] };
  return { lane: isKnownDevice ? LANES.known : LANES.stranger, owner: networks[0] ?? '', networks };
}

/** A body that is too long to be kept is forwarded at once, and takes a place when the website has all of it. */
function enterLater(line: Line, key: QueueKey, request: IncomingMessage): Leave {
  let leave: Leave | undefined;
  const take = () => {
    leave = line.take(key);
  };
  request.once('end', take);
  return () => {
    request.off('end', take);
    leave?.();
  };
}

/** Resolves when a request has arrived, with true, or when no more of its body is kept here. */
async function isArrived(request: IncomingMessage): Promise<boolean> {
  await new Promise<void>((resolve) => {
    const look = () => {
      const isFull = request.readableLength >= request.readableHighWaterMark;
      if (!request.complete && !isFull && !request.destroyed) return;
      request.off('readable', look).off('close', look);
      resolve();
    };
    request.on('readable', look).on('close', look);
    look();
  });
  return request.complete;
}
