from parts import Config, Model


class Trainer:
    def __init__(self, model: Model, config: Config) -> None:
        self.model = model
        self.config = config
        self.spare = Model(1)

    @property
    def now(self) -> Config:
        return self.config

    def fit(self):
        for _ in range(self.config.limits.stepz):
            self.model.stop(0.1)
        self.model.step()
        self.spare.step(1, 2, 3)
        self.now.nam
        made = self.spare.config()
        return made.limitz, Model(2).sice, self.spare.config().limits.step


Trainer(Model(1), Model(1).config()).fit(1)
