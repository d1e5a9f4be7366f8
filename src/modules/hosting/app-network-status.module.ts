import { Module } from '@nestjs/common';
import { AppNetworkStatus } from './app-network-status.js';

@Module({ providers: [AppNetworkStatus], exports: [AppNetworkStatus] })
export class AppNetworkStatusModule {}
