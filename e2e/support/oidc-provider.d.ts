declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface ProviderContext {
    req: IncomingMessage;
    res: ServerResponse;
    path: string;
    method: string;
    type: string;
    body: unknown;
    oidc?: { route?: string; session?: { accountId?: string }; client?: { clientId: string } };
  }

  /** Only the parts that the tests use: https://github.com/panva/node-oidc-provider/tree/main/docs */
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    Grant: new (properties: {
      accountId: string | undefined;
      clientId: string | undefined;
    }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
    use(middleware: (context: ProviderContext, next: () => Promise<void>) => Promise<void>): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>;
  }

  export const interactionPolicy: {
    base(): { add(prompt: unknown, index?: number): void };
    Prompt: new (info: { name: string; requestable: boolean }) => unknown;
  };
}
