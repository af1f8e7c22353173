from net import Net, Rows

Net(hidden=3, dropout=0.1)
Rows()
Net(3).to("cpu").eval()
