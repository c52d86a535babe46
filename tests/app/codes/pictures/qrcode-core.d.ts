// The published types cover the whole package only; tests compare symbols with those of this inner module.
declare module 'qrcode/lib/core/qrcode.js' {
  export function create(
    data: string,
    options: { errorCorrectionLevel: 'H'; version?: number; maskPattern?: number },
  ): { modules: { size: number; data: Uint8Array }; version: number };
}
