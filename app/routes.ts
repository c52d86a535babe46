import { flatRoutes } from '@remix-run/fs-routes';
import type { RouteConfigEntry } from '@remix-run/route-config';

/**
 * Rules that go by paths, such as those for caching, might not notice another spelling; `$.tsx` redirects it. Remix
 * ignores this for index routes.
 */
function matchExactly(route: RouteConfigEntry): RouteConfigEntry {
  return {
    ...route,
    caseSensitive: true,
    ...(route.children && { children: route.children.map(matchExactly) }),
  };
}

export default flatRoutes().then((routes) => routes.map(matchExactly));
