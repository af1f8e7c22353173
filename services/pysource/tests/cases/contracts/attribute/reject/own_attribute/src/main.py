from model import Model

model = Model(3)
print(model.fit([1]), model.predict([2]))
