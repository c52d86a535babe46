import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairQueue, type QueueKey } from '#processes/fair-queue';
import { hasBody } from './relay';

/** Requests of strangers that the website works on at once. */
export const MOST_STRANGERS = 16;
/** Of one account: what a browser asks for with a page. */
export const MOST_OF_ACCOUNT = 16;
/** As many of a network as the gateway begins at once; together half as many as it has connections. */
export const WAITING = { perOwner: 256, perNetwork: 256, total: 1_000 };
const WAIT_MS = 10_000;
const LANES = { account: 0, visit: 1, stranger: 2 };

/** Who sends a request to the website. */
export interface Sender {
  /** Null for a stranger. */
  account: string | null;
  /** Of the IP address, narrowest first. */
  networks: readonly string[];
  /** Whether it asks for the page of a code. */
  isVisit: boolean;
}

/** Gives the place back; more than once does no harm. */
export type Leave = () => void;

interface Waiting extends QueueKey {
  begin: () => void;
  refuse: () => void;
}

/**
 * Keeps the website free for customers: strangers get a limited number of places, in turn by network, and codes before
 * pages. Customers need none of them, and have a limit for each account.
 */
export class WebsiteQueue {
  readonly #queue = new FairQueue<Waiting>(WAITING);
  readonly #accounts = new Map<string, number>();
  #strangers = 0;

  /**
   * Resolves when it is the request's turn; with null if it is refused, because too many wait or it has waited for too
   * long, or if its client has left. Takes no place while a client sends a body, however slowly.
   */
  async enter(request: IncomingMessage, response: ServerResponse, sender: Sender): Promise<Leave | null> {
    if (hasBody(request) && !(await isArrived(request))) {
      if (response.destroyed) return null;
      return this.#countLater(request, sender);
    }
    return this.#wait(response, sender);
  }

  #wait(response: ServerResponse, sender: Sender): Promise<Leave | null> {
    const key = keyOf(sender);
    if (this.#mayStart(key)) return Promise.resolve(this.#count(sender));
    if (response.destroyed || this.#queue.reachedLimit(key)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const finish = (leave: Leave | null) => {
        clearTimeout(timer);
        response.off('close', giveUp);
        resolve(leave);
      };
      const waiting = { ...key, begin: () => finish(this.#count(sender)), refuse: () => finish(null) };
      const giveUp = () => {
        if (this.#queue.remove(waiting)) finish(null);
      };
      const timer = setTimeout(giveUp, WAIT_MS);
      response.once('close', giveUp);
      this.#queue.add(waiting)?.refuse();
    });
  }

  #count({ account }: Sender): Leave {
    if (account === null) this.#strangers += 1;
    else this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      if (account === null) this.#strangers -= 1;
      else this.#uncount(account);
      for (let next = this.#next(); next; next = this.#next()) next.begin();
    };
  }

  /** A body that is too long to be kept begins without a turn, and takes a place when the website has all of it. */
  #countLater(request: IncomingMessage, sender: Sender): Leave {
    let leave: Leave | null = null;
    const count = () => {
      leave = this.#count(sender);
    };
    request.once('end', count);
    return () => {
      request.off('end', count);
      leave?.();
    };
  }

  #next(): Waiting | undefined {
    return this.#queue.take((waiting) => this.#mayStart(waiting));
  }

  #mayStart({ lane, owner }: QueueKey): boolean {
    if (lane === LANES.account) return (this.#accounts.get(owner) ?? 0) < MOST_OF_ACCOUNT;
    return this.#strangers < MOST_STRANGERS;
  }

  #uncount(account: string): void {
    const left = (this.#accounts.get(account) ?? 0) - 1;
    if (left > 0) this.#accounts.set(account, left);
    else this.#accounts.delete(account);
  }
}

/** Accounts are not limited by network: they may share one with an attacker. */
function keyOf({ account, networks, isVisit }: Sender): QueueKey {
  if (account !== null) return { lane: LANES.account, owner: account, networks: [] };
  return { lane: isVisit ? LANES.visit : LANES.stranger, owner: networks[0] ?? '', networks };
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
