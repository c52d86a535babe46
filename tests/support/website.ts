import { createRequestHandler, type ServerBuild } from '@remix-run/node';
import { onTestFinished, vi } from 'vitest';
import { createTestHost, START, type TestHost } from './host';
import { answerAsHost, hostAddress, startHostServer, stopHostServer } from './host-server';
import { INTERNAL_SECRET } from './internal-key';

type Module = ServerBuild['routes'][string]['module'];
type Sent = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; as?: { token: string } };

const FUTURE = {
  v3_fetcherPersist: true,
  v3_relativeSplatPath: true,
  v3_throwAbortReason: true,
  v3_routeConfig: true,
  v3_singleFetch: true,
  v3_lazyRouteDiscovery: true,
  unstable_optimizeDeps: false,
} as const;
const files = import.meta.glob<Module>('/app/**/*{page,route}.{ts,tsx}');

export interface TestWebsite {
  host: TestHost;
  /** Requests a document as a browser would, signed in with the token of `as` if given. */
  browse(path: string, sent?: Sent): Promise<Response>;
  /** Makes every connection to the host fail until the test ends. */
  hostDown(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Runs the website in this process against a real host behind a socket. `routes` maps the needed paths to
 * their route files. `intercept` handles requests to the host, for example to delay them. Call it before any
 * module of the website is imported, because the host's address is read only once.
 */
export async function createTestWebsite(
  routes: Record<string, string>,
  intercept: (request: Request, pass: () => Promise<Response>) => Promise<Response> = (_, pass) => pass(),
): Promise<TestWebsite> {
  const host = await createTestHost();
  host.clock.set(new Date());
  const fetch = (request: Request) => intercept(request, async () => host.app.fetch(request));
  answerAsHost(fetch);
  vi.stubEnv('HOST_URL', await hostAddress());
  vi.stubEnv('PUBLIC_URL', 'http://localhost');
  vi.stubEnv('INTERNAL_SECRET', INTERNAL_SECRET);
  vi.stubEnv('LOG_LEVEL', 'silent');
  const handle = createRequestHandler(await buildOf(routes), 'production');
  const { signInCookie } = await import('~/http/session.server');

  return {
    host,
    browse: async (path, { as, headers, ...init } = {}) => {
      const cookie = as ? (await signInCookie(as.token, false)).split(';')[0] : undefined;
      const all = new Headers({
        host: 'localhost',
        accept: 'application/xhtml+xml,text/html;q=0.9,*/*;q=0.8',
        'accept-language': 'en-GB',
        ...headers,
      });
      if (cookie) all.set('cookie', cookie);
      return handle(new Request(`http://localhost${path}`, { ...init, headers: all }), {});
    },
    hostDown: async () => {
      await stopHostServer();
      onTestFinished(startHostServer);
    },
    close: async () => {
      answerAsHost(undefined);
      await host.close();
      vi.unstubAllEnvs();
    },
  };
}

/** Sets the clocks of both programs to 2 March 2026, 10:00 in London, until the test ends. */
export function startClocks({ host }: TestWebsite): void {
  host.clock.set(START);
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  onTestFinished(() => {
    vi.useRealTimers();
    host.clock.set(new Date());
  });
}

async function buildOf(paths: Record<string, string>): Promise<ServerBuild> {
  const routes: ServerBuild['routes'] = {
    root: { id: 'root', path: '', module: (await import('~/root')) as Module },
  };
  for (const [path, file] of Object.entries(paths)) {
    const load = files[`/app/${file}`];
    if (!load) throw new Error(`there is no route ${file}`);
    const place = path === '/' ? { index: true } : { path: path.slice(1) };
    routes[path] = { id: path, parentId: 'root', ...place, module: await load() };
  }
  const listed: ServerBuild['assets']['routes'] = {};
  for (const { id, parentId, path, index } of Object.values(routes)) {
    const has = { hasLoader: true, hasAction: true, hasErrorBoundary: id === 'root' };
    listed[id] = {
      id,
      module: `/${id}.js`,
      imports: [],
      ...has,
      hasClientAction: false,
      hasClientLoader: false,
      ...(parentId && { parentId }),
      ...(path && { path }),
      ...(index && { index }),
    };
  }
  return {
    mode: 'production',
    entry: { module: await import('~/entry.server') },
    routes,
    assets: {
      entry: { module: '/entry.js', imports: [] },
      routes: listed,
      url: '/manifest.js',
      version: '1',
    },
    publicPath: '/',
    assetsBuildDirectory: '',
    isSpaMode: false,
    future: FUTURE,
  };
}
