import { Module } from '@nestjs/common';
import { AgentTools } from './agent-tools.js';

/** One register for the modules that have kinds of tools, and for those that use them. */
@Module({ providers: [AgentTools], exports: [AgentTools] })
export class AgentToolsModule {}
