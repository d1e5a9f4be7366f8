declare module 's3rver' {
  import type { Server } from 'node:http';

  /** The little of it that tests use; it comes without types. */
  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs: string[] }[];
    });
    readonly httpServer: Server;
    run(): Promise<unknown>;
  }
}
