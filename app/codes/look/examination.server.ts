import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { draw, isDrawingRefusal, wasDrawingKilled } from '~/codes/drawing-pool.server';
import type { Design } from '~/codes/pictures/code-files.server';
import type { RequestContext } from '~/http/scope.server';
import type { Examination } from './scan-report';

/** By all that a drawing depends on: to look at one again takes as long as the first time. */
const known = new LRUCache<string, Examination>({ max: 10_000 });

/** What decoders make of a design. Throws what `draw` throws. */
export async function examineDesign(requestContext: RequestContext, design: Design): Promise<Examination> {
  const key = keyOf(design);
  const found = known.get(key);
  if (found) return found;
  const made = await draw(requestContext, 'examine', design);
  const examination = { ...made, readBack: made.readBack === design.payload ? made.readBack : null };
  known.set(key, examination);
  return examination;
}

/** The same; undefined where too much is waiting: a page is shown without it. */
export async function examineIfPossible(
  requestContext: RequestContext,
  design: Design,
): Promise<Examination | undefined> {
  try {
    return await examineDesign(requestContext, design);
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
