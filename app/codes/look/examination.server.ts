import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Design } from '~/codes/pictures/code-files.server';
import { draw, isDrawingRefusal, wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import type { Scope } from '~/http/scope.server';
import type { Examination } from './scan-report';

/** Keyed by everything a drawing depends on, because examining it again takes as long as the first time. */
const known = new LRUCache<string, Examination>({ max: 10_000 });
/** Those in progress, by the same keys. */
const running = new Map<string, Promise<Examination>>();

/**
 * Reads and grades a design. If the preview shows another payload (`shown`) than the files will contain,
 * because the scan link is not known yet, reads the one shown and grades the other. Throws what `draw`
 * throws.
 */
export async function examineDesign(
  scope: Scope,
  design: Design,
  shown = design.payload,
): Promise<Examination> {
  const key = keyOf(design);
  const examination = known.get(key) ?? (await examineOnce(scope, key, design));
  if (shown === design.payload) return withReadBack(examination, shown);
  const readBack = await draw(scope, 'readBack', { ...design, payload: shown });
  return { ...withReadBack({ ...examination, readBack }, shown), isOfAddress: true };
}

/** Equal designs requested at the same time are examined once. */
async function examineOnce(scope: Scope, key: string, design: Design): Promise<Examination> {
  for (let other = running.get(key); other; other = running.get(key)) {
    // A refusal or an end of the other request is not for this one: it then has its own turn.
    const examination = await other.catch(() => null);
    // As in `draw`: this time does not count against the host's deadline.
    delete scope.deadline;
    if (examination) return examination;
  }
  const examining = draw(scope, 'examine', design)
    .then((examination) => {
      known.set(key, examination);
      return examination;
    })
    .finally(() => running.delete(key));
  running.set(key, examining);
  return examining;
}

function withReadBack(examination: Examination, payload: string): Examination {
  return { ...examination, readBack: examination.readBack === payload ? payload : null };
}

/**
 * Like `examineDesign`; undefined if drawing was refused or killed: the page is shown without the results.
 */
export async function examineIfPossible(scope: Scope, design: Design): Promise<Examination | undefined> {
  try {
    return await examineDesign(scope, design);
  } catch (thrown) {
    if (isDrawingRefusal(thrown) || wasDrawingKilled(thrown)) return undefined;
    throw thrown;
  }
}

function keyOf({ payload, logo, useWhiteBackground = false, style }: Design): string {
  const look = style ? Object.entries(style).sort() : null;
  const hash = createHash('sha256').update(JSON.stringify([payload, useWhiteBackground, look]));
  if (logo) hash.update(logo);
  return hash.digest('base64');
}
