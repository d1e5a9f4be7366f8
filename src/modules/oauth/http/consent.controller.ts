import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { ConsentExchange } from './consent-exchange.js';

/** The pages on which people give clients access. */
@ApiExcludeController()
@Controller('oauth/consent')
export class ConsentController {
  constructor(private readonly exchange: ConsentExchange) {}

  @Get(':uid')
  @Public()
  show(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.exchange.show(request, response);
  }

  @Post(':uid')
  @Public()
  answer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.exchange.answer(request, response);
  }

  @Post(':uid/sign-in')
  @Public()
  signIn(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.exchange.signIn(request, response);
  }

  @Post(':uid/second-factor')
  @Public()
  secondFactor(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.exchange.secondFactor(request, response);
  }
}
