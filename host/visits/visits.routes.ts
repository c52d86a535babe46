import { visitByLink, visitByScan } from '#contract/visits';
import type { Deps } from '#host/http/deps';
import type { Authenticate, Router } from '#host/http/mount';
import type { VisitRecorder } from './recorder';

export function mountVisits(
  router: Router,
  _deps: Deps,
  _recorder: VisitRecorder,
  _authenticate: Authenticate,
): void {
  router.document(visitByScan);
  router.document(visitByLink);
}
