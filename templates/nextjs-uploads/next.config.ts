import type { NextConfig } from 'next';

const config: NextConfig = {
  poweredByHeader: false,
  // Forms with several files are larger than the 1 MB that actions take otherwise.
  experimental: { serverActions: { bodySizeLimit: '20mb' } },
};

export default config;
