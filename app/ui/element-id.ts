import { useId } from 'react';

/** Like `useId`, but without colons, which selectors would have to escape. */
export function useElementId(): string {
  return `id-${useId().replaceAll(':', '')}`;
}
