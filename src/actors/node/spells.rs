//! Spells of silence and of ill health. Of those that overlap, the one that ends last counts.

use actix::Handler;

use crate::actors::Ctx;
use crate::actors::node::{FallSilent, Node, Recovers, Sicken, SilenceEnds, Stage};
use crate::ledger::Fact;
use crate::rules::rmnode::Health;

impl Handler<FallSilent> for Node {
    type Result = ();

    fn handle(&mut self, message: FallSilent, ctx: &mut Ctx) {
        match self.stage {
            Stage::Off | Stage::Searching(_) | Stage::Ending(_) => return,
            Stage::Up => {
                self.stage = Stage::Silent;
                self.mute(ctx);
                self.tell_silence(ctx);
                ctx.record(&Fact::Agent { node: self.id, event: "SILENCE" });
            }
            Stage::Silent => {}
        }
        self.silent_until = self.silent_until.max(ctx.now() + message.span);
        ctx.tell_after(message.span, self.id, SilenceEnds);
    }
}

impl Handler<SilenceEnds> for Node {
    type Result = ();

    fn handle(&mut self, _: SilenceEnds, ctx: &mut Ctx) {
        if self.stage == Stage::Silent && self.silent_until <= ctx.now() {
            self.stage = Stage::Up;
            ctx.record(&Fact::Agent { node: self.id, event: "HEARD" });
            ctx.resume_beats(self.id.0);
            ctx.want_beat(self.id.0, ctx.now());
        }
    }
}

impl Handler<Sicken> for Node {
    type Result = ();

    fn handle(&mut self, message: Sicken, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Off | Stage::Ending(_)) {
            return;
        }
        if self.health == Health::Healthy {
            self.health = Health::Unhealthy;
            ctx.record(&Fact::Agent { node: self.id, event: "UNHEALTHY" });
            ctx.beat_now(self.id.0);
        }
        self.sick_until = self.sick_until.max(ctx.now() + message.span);
        ctx.tell_after(message.span, self.id, Recovers);
    }
}

impl Handler<Recovers> for Node {
    type Result = ();

    fn handle(&mut self, _: Recovers, ctx: &mut Ctx) {
        if self.health == Health::Unhealthy && self.sick_until <= ctx.now() {
            self.health = Health::Healthy;
            ctx.record(&Fact::Agent { node: self.id, event: "HEALTHY" });
            ctx.want_beat(self.id.0, ctx.now());
        }
    }
}
