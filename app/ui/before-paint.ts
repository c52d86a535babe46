import { useEffect, useLayoutEffect } from 'react';

/** `useLayoutEffect`, except on the server, where React warns about it. */
export const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect;
