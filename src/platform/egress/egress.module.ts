import { Module } from '@nestjs/common';
import { CheckedRequests } from './checked-requests.js';
import { HostAddresses } from './host-addresses.js';
import { PublicFetch } from './public-fetch.js';

/** Requests to addresses that tenants choose. */
@Module({ providers: [CheckedRequests, HostAddresses, PublicFetch], exports: [CheckedRequests, PublicFetch] })
export class EgressModule {}
